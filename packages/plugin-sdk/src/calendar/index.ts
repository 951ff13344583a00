export { type CalendarPerson, findBusyTimes } from './busy.ts';
export { type CalendarEvent, calendarAttachment, calendarFeed, calendarUid } from './calendar.ts';
