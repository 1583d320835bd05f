import type { Scope } from '@signalbox/contract'

/** What clients can ask for, and how the consent page says it. */
export const scopeTexts = {
	'mcp:invoke': 'List and use the tools, prompts and resources that the agent is granted',
} as const satisfies Partial<Record<Scope, string>>

export type OauthScope = keyof typeof scopeTexts

export const oauthScopes = Object.keys(scopeTexts) as OauthScope[]

/** The scopes of ours in a request, all when it names none; null when it names foreign ones only. */
export function readScopes(text: string | undefined): OauthScope[] | null {
	const wanted = text?.split(' ').filter((scope) => scope !== '') ?? []
	if (wanted.length === 0) return oauthScopes
	const known = oauthScopes.filter((scope) => wanted.includes(scope))
	return known.length > 0 ? known : null
}
