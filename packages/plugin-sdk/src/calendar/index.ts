export { type CalendarPerson, findBusyTimes } from './busy.ts';
export { type CalendarEvent, calendarAttachment, calendarFeed, calendarUid } from './calendar.ts';
export { type EntryMail, mailEntry } from './mail-entry.ts';
