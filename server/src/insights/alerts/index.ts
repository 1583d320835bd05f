export { openAlerts } from './open-alerts.ts'
