export { openWebhooks } from './routes.ts'
