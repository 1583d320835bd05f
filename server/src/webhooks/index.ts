export { newSecret, signedHeaders } from './secret.ts'
export { openWebhooks } from './webhooks.ts'
