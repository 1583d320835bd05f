export { appendEvent, deliveryJob, matches, newDelivery, wakeDeliveries } from './append-event.ts'
export { type Events, openEvents } from './events.ts'
export { refusalOf } from './route.ts'
