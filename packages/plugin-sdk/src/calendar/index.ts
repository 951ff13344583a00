export { busyElsewhere, type PlannedPerson } from './busy.ts';
export { type CalendarEvent, calendarAttachment, calendarFeed, calendarUid } from './calendar.ts';
