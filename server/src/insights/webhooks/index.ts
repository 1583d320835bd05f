export { openWebhooks } from './webhooks.ts'
