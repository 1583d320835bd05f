import { baseUrl } from '../../lib/base-url.ts'
import type { Connection } from './queries.ts'

/** What clients put between the connection and their paths: those of OpenAI expect `/v1`, the others add their own. */
const suffixes: Partial<Record<Connection['provider'], string>> = { openai: '/v1', openai_compatible: '/v1' }

export function clientBaseUrl({ name, provider }: Pick<Connection, 'name' | 'provider'>): string {
	return `${baseUrl}/proxy/${name}${suffixes[provider] ?? ''}`
}
