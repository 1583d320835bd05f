import type { CacheMissCause } from './explain-miss.ts'
import type { Asked, Piece, ProviderCache } from './provider-cache.testing.ts'

/** A provider with explicit cache markers, and one that caches automatically. */
export const models = {
	claude: { provider: 'anthropic', model: 'claude-sonnet-4-5' },
	gpt: { provider: 'openai', model: 'gpt-5' },
}
export type Kind = keyof typeof models

const tool = (name: string, version = 1): Piece =>
	piece('tool', `mcp__docs__${name}`, `${name} ${version}`, 900)
export const system = (text: string): Piece => piece('system', 'system', text, 2000)
export const user = (text: string, tokens = 1500): Piece => piece('message', 'user', text, tokens)
export const model = (text: string): Piece => piece('message', 'assistant', text, 700)

function piece(kind: Piece['kind'], name: string, text: string, tokens: number): Piece {
	return { kind, name, text, tokens }
}

export const tools = [tool('search'), tool('read'), tool('write')]
export const opening = [...tools, system('Be brief.')]
const dialogue = [user('one'), model('two'), user('three'), model('four'), user('five')]
export const first: Asked = {
	...{ at: 0, connection: 'main', model: '', settings: 'auto', cacheKey: 'k', seconds: 300 },
	pieces: [...opening, ...dialogue.slice(0, 3)],
}
/** What the session would have asked next. */
export const next: Asked = { ...first, at: 60, pieces: [...opening, ...dialogue] }

export interface Case {
	kind?: Kind
	minimum?: number
	change(asked: Asked): Asked
	/** Changes the cache between the calls. */
	between?(cache: ProviderCache): void
	/** How the earlier requests differ as well. */
	before?: Partial<Asked>
	part?: object
}

const withPieces = (change: (pieces: Piece[]) => Piece[]) => (asked: Asked) => ({
	...asked,
	pieces: change(asked.pieces),
})
export const cases: Record<string, Case & { cause: CacheMissCause }> = {
	'another model': { cause: 'model_changed', change: (asked) => ({ ...asked, model: 'claude-opus-4-5' }) },
	'another connection': {
		cause: 'connection_changed',
		change: (asked) => ({ ...asked, connection: 'spare' }),
	},
	'another cache key': {
		...{ cause: 'cache_key_changed', kind: 'gpt' },
		change: (asked) => ({ ...asked, cacheKey: 'other' }),
	},
	'no marks any more': { cause: 'not_marked', change: (asked) => ({ ...asked, seconds: 0 }) },
	'a prompt that is too short': {
		...{ cause: 'below_minimum', minimum: 4096, change: (asked) => asked },
		before: { pieces: [system('Be brief.'), user('one', 300)] },
	},
	'a pause of seven minutes': { cause: 'expired', change: (asked) => ({ ...asked, at: asked.at + 420 }) },
	'a pause of more than an hour': {
		...{ cause: 'expired', before: { seconds: 3600 } },
		change: (asked) => ({ ...asked, at: asked.at + 4000 }),
	},
	'a tool that is new': {
		...{
			cause: 'tools_changed',
			change: withPieces((pieces) => [...tools, tool('delete'), ...pieces.slice(3)]),
		},
		part: { kind: 'tool', name: 'mcp__docs__delete', server: 'docs', position: 4, change: 'added' },
	},
	'a tool that is gone': {
		...{ cause: 'tools_changed', change: withPieces((pieces) => [tools[0] as Piece, ...pieces.slice(2)]) },
		part: { name: 'mcp__docs__read', position: 2, change: 'removed' },
	},
	'a tool that says something else': {
		cause: 'tools_changed',
		change: withPieces((pieces) => [tools[0] as Piece, tool('read', 2), ...pieces.slice(2)]),
		part: { name: 'mcp__docs__read', position: 2, change: 'changed' },
	},
	'tools in another order': {
		...{
			cause: 'tools_changed',
			change: withPieces((pieces) => [tools[1] as Piece, tools[0] as Piece, ...pieces.slice(2)]),
		},
		part: { name: 'mcp__docs__read', position: 1, change: 'moved' },
	},
	'a system text with the time in it': {
		...{
			cause: 'system_changed',
			change: withPieces((pieces) => [...tools, system('Be brief. 10:01'), ...pieces.slice(4)]),
		},
		part: { kind: 'system', name: 'system', server: null, position: 1, change: 'changed' },
	},
	'another choice of tools': {
		cause: 'parameters_changed',
		change: (asked) => ({ ...asked, settings: 'none' }),
	},
	'a message that was rewritten': {
		...{
			cause: 'messages_changed',
			change: withPieces((pieces) => [...opening, user('one, mended'), ...pieces.slice(5)]),
		},
		part: { kind: 'message', name: 'user', position: 2, change: 'changed' },
	},
	'a message of an automatic cache that was rewritten': {
		...{ cause: 'messages_changed', kind: 'gpt' },
		change: withPieces((pieces) => [...opening, user('one, mended'), ...pieces.slice(5)]),
	},
	'a history that was made shorter': {
		...{
			cause: 'history_compacted',
			change: withPieces(() => [...opening, user('sum', 900), user('three')]),
		},
		before: { pieces: [...opening, ...dialogue.slice(0, 3)] },
	},
	'two requests at once': { cause: 'concurrent', change: (asked) => ({ ...asked, at: 1 }) },
	'a provider that forgot': {
		cause: 'provider_miss',
		change: (asked) => asked,
		between: (cache) => cache.forget(),
	},
}
