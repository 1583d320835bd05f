import type { Connection } from './queries.ts'

/** The OpenAI clients expect `/v1` in their base URL, Anthropic's add it themselves. */
export function clientBaseUrl({ name, provider }: Pick<Connection, 'name' | 'provider'>): string {
	return `${location.origin}/proxy/${name}${provider === 'anthropic' ? '' : '/v1'}`
}
