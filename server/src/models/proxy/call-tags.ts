import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'

export interface CallTags {
	sessionId: string
	userId: string
	/** Name and version of the client program, `name/version`. */
	client: string
	/** From `x-signalbox-tags`: `name` or `name=value`, separated by commas. */
	tags: ReadonlyMap<string, string>
}

const textLimit = 256
const tagLimit = 32

/** Headers in which known clients name their session, Signalbox's own first. */
const sessionHeaders = [
	'x-signalbox-session-id',
	'x-claude-code-session-id',
	'session-id',
	'session_id',
	'x-mux-workspace-id',
	'x-interaction-id',
	'x-client-session-id',
	'x-kilocode-taskid',
	'x-coder-chat-id',
	'x-opencode-session',
	'helicone-session-id',
	'x-litellm-session-id',
	'x-litellm-trace-id',
	'x-portkey-trace-id',
	// OpenCode's header for other providers than its own, and OpenRouter's.
	'x-session-id',
]
const userHeaders = [
	'x-signalbox-user-id',
	'helicone-user-id',
	'x-litellm-end-user-id',
	'x-litellm-customer-id',
]
/** Headers in which Claude Code names the agent that calls, with the tag for each. */
const agentHeaders = {
	'x-claude-code-agent-id': 'agent_id',
	'x-claude-code-parent-agent-id': 'parent_agent_id',
	'x-claude-code-agent-type': 'agent_type',
	'x-claude-code-request-class': 'request_class',
} as const

/** Fields of a body that identify the user and the session of a call. */
export const taggedFields = [
	...['metadata', 'user', 'safety_identifier', 'conversation', 'prompt_cache_key', 'litellm_session_id'],
] as const

/** All headers on which a record depends, including the content encoding of its body. */
export const taggedHeaders: ReadonlySet<string> = new Set([
	...sessionHeaders,
	...userHeaders,
	...Object.keys(agentHeaders),
	...['baggage', 'x-portkey-metadata', 'x-signalbox-tags', 'user-agent', 'x-affinity'],
	...['content-type', 'content-encoding'],
])

/**
 * The user and the session of a call: from the headers of known clients, otherwise from the body, otherwise from the baggage of a
 * trace. A cache key, which several sessions may share, counts last, and only if it is an id.
 */
export function readTags(headers: IncomingHttpHeaders, body: ReadonlyMap<string, unknown>): CallTags {
	if (!Object.isFrozen(headers) || taggedFields.some((name) => body.has(name))) return tagsIn(headers, body)
	let tags = ofHeaders.get(headers)
	if (!tags) {
		tags = tagsIn(headers, body)
		ofHeaders.set(headers, tags)
	}
	return tags
}

/** A cache by header objects that many calls share and nobody changes. */
const ofHeaders = new WeakMap<IncomingHttpHeaders, CallTags>()

function tagsIn(headers: IncomingHttpHeaders, body: ReadonlyMap<string, unknown>): CallTags {
	const metadata = readMetadata(body.get('metadata'))
	const portkey = jsonIn(headerText(headers['x-portkey-metadata']))
	const baggage = readBaggage(headerText(headers.baggage))
	return {
		sessionId:
			firstHeader(headers, sessionHeaders) ||
			metadata.session ||
			clip(body.get('litellm_session_id')) ||
			conversationIn(body.get('conversation')) ||
			clip(baggage.get('session.id')) ||
			clip(baggage.get('gen_ai.conversation.id')) ||
			idIn(headers['x-affinity']) ||
			idIn(body.get('prompt_cache_key')),
		userId:
			firstHeader(headers, userHeaders) ||
			metadata.user ||
			clip(portkey._user) ||
			clip(body.get('safety_identifier')) ||
			clip(body.get('user')) ||
			clip(baggage.get('user.id')) ||
			clip(baggage.get('enduser.id')),
		client: clientOf(headers),
		tags: tagsOf(headers),
	}
}

function tagsOf(headers: IncomingHttpHeaders): ReadonlyMap<string, string> {
	const tags = new Map<string, string>()
	for (const header in agentHeaders) {
		const value = clip(headerText(headers[header]))
		if (value) tags.set(agentHeaders[header as keyof typeof agentHeaders], value)
	}
	addTags(tags, headerText(headers['x-signalbox-tags']))
	return tags
}

/** OpenAI's responses name a stored conversation by its id, or by an object with the id. */
function conversationIn(value: unknown): string {
	return clip(value) || clip((value as { id?: unknown } | null | undefined)?.id)
}

const id = /^(session_)?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Codex, Kimi Code and Mistral Vibe send the id of their conversation; others send a word that all their calls share. */
function idIn(value: unknown): string {
	return typeof value === 'string' && id.test(value) ? value : ''
}

/** W3C baggage: `name=value;property`, separated by commas, values percent-encoded. */
function readBaggage(header: unknown): ReadonlyMap<string, string> {
	const entries = new Map<string, string>()
	if (typeof header !== 'string') return entries
	for (const member of header.slice(0, 8192).split(',')) {
		const [name = '', ...value] = (member.split(';')[0] as string).split('=')
		entries.set(name.trim(), decoded(value.join('=').trim()))
	}
	return entries
}

function decoded(text: string): string {
	try {
		return decodeURIComponent(text)
	} catch {
		return text
	}
}

function jsonIn(header: unknown): Record<string, unknown> {
	try {
		const value: unknown = typeof header === 'string' ? JSON.parse(header.slice(0, 8192)) : null
		return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {}
	} catch {
		return {}
	}
}

/**
 * Claude Code writes JSON or `user_…_account_…_session_<uuid>` into `metadata.user_id`, Kimi Code `session_<uuid>`, others a
 * plain id. Clients of LiteLLM and Langfuse name both.
 */
function readMetadata(metadata: unknown): { session: string; user: string } {
	const named = (metadata ?? {}) as Record<string, unknown>
	const session = clip(named.session_id) || clip(named.langfuse_session_id)
	const { session: told, user } = readUserId(clip(named.user_id, 4096))
	return { session: told || session, user: user || clip(named.langfuse_user_id) }
}

function readUserId(text: string): { session: string; user: string } {
	const legacy = text.match(/^user_(\S+?)_account_(\S*?)_session_([0-9a-f-]{8,64})$/)
	if (legacy) return { session: legacy[3] as string, user: clip(legacy[2] || legacy[1]) }
	if (text.startsWith('session_') && idIn(text)) return { session: text, user: '' }
	if (!text.startsWith('{')) return { session: '', user: clip(text) }
	try {
		const { session_id, account_uuid, device_id } = JSON.parse(text) as Record<string, unknown>
		return { session: clip(session_id), user: clip(account_uuid) || clip(device_id) }
	} catch {
		return { session: '', user: clip(text) }
	}
}

/** `OpenAI/JS 7.55.0` → `OpenAI-JS/7.55.0`; `claude-cli/2.1.90 (external, cli)` → `claude-cli/2.1.90`; `ai-sdk/openai/3.0.1 …` up to its version. */
function clientOf(headers: IncomingHttpHeaders): string {
	// Hugging Face's client puts the library that uses it first, which is mostly unknown.
	const agent = (headers['user-agent'] ?? '').replace(/^unknown\/None; /, '')
	const spaced = agent.match(/^([\w.-]+)\/([A-Za-z]+) (\d[\w.+-]*)/)
	if (spaced) return clip(`${spaced[1]}-${spaced[2]}/${spaced[3]}`)
	return clip(agent.match(/^[\w.@-]+(?:\/(?!v?\d)[\w.+-]+){0,2}(?:\/v?\d[\w.+-]*)?/)?.[0])
}

function addTags(tags: Map<string, string>, header: unknown): void {
	if (typeof header !== 'string') return
	for (const part of header.split(',').slice(0, tagLimit)) {
		const [name = '', ...value] = part.split('=')
		if (name.trim()) tags.set(clip(name.trim()), clip(value.join('=').trim()) || 'true')
	}
}

function firstHeader(headers: IncomingHttpHeaders, names: readonly string[]): string {
	for (const name of names) {
		const value = clip(headerText(headers[name]))
		if (value) return value
	}
	return ''
}

/**
 * Node reads headers as Latin-1. Valid UTF-8 is decoded as such: Go, curl and most programs send it; `fetch` in browsers and Node
 * does not.
 */
function headerText(value: unknown): unknown {
	if (typeof value !== 'string' || !/[\x80-\xff]/.test(value)) return value
	const bytes = Buffer.from(value, 'latin1')
	return isUtf8(bytes) ? bytes.toString() : value
}

function clip(value: unknown, limit = textLimit): string {
	return typeof value === 'string' ? value.slice(0, limit) : ''
}
