export { newSecret, signedHeaders } from '../../platform/crypto/webhook-secret.ts'
export { openWebhooks } from './webhooks.ts'
