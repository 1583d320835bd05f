import { baseUrl } from '../../lib/base-url.ts'
import type { Connection } from './queries.ts'

/** The OpenAI clients expect `/v1` in their base URL, Anthropic's add it themselves. */
export function clientBaseUrl({ name, provider }: Pick<Connection, 'name' | 'provider'>): string {
	return `${baseUrl}/proxy/${name}${provider === 'anthropic' ? '' : '/v1'}`
}
