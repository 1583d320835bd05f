import { clientBaseUrl } from './client-base-url.ts'
import type { Connection } from './queries.ts'

const openai = (url: string, key: string) => `OPENAI_BASE_URL=${url}\nOPENAI_API_KEY=${key}`

/** The environment variables of each provider's official client. */
const settings: Record<Connection['provider'], (url: string, key: string) => string> = {
	openai,
	openai_compatible: openai,
	anthropic: (url, key) => `ANTHROPIC_BASE_URL=${url}\nANTHROPIC_API_KEY=${key}`,
	gemini: (url, key) => `GOOGLE_GEMINI_BASE_URL=${url}\nGEMINI_API_KEY=${key}`,
	azure_openai: (url, key) => `AZURE_OPENAI_ENDPOINT=${url}\nAZURE_OPENAI_API_KEY=${key}`,
	bedrock: (url, key) => `AWS_ENDPOINT_URL_BEDROCK_RUNTIME=${url}\nAWS_BEARER_TOKEN_BEDROCK=${key}`,
	vertex: (url, key) => `GOOGLE_VERTEX_BASE_URL=${url}\nAuthorization: Bearer ${key}`,
}

/** The settings that make a client use a connection. */
export function clientSettings(connection: Connection, key: string): string {
	return settings[connection.provider](clientBaseUrl(connection), key)
}
