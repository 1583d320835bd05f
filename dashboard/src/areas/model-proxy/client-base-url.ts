import { baseUrl } from '../../lib/base-url.ts'
import type { Connection } from './queries.ts'

/** The part of the base URL after the connection's path: OpenAI's clients expect `/v1`, the others add their own. */
const suffixes: Partial<Record<Connection['provider'], string>> = { openai: '/v1', openai_compatible: '/v1' }

export function clientBaseUrl({ name, provider }: Pick<Connection, 'name' | 'provider'>): string {
	return `${baseUrl}/proxy/${name}${suffixes[provider] ?? ''}`
}
