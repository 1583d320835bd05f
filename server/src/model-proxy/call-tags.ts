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

/** Headers in which known clients name their session, ours first. */
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
]
const userHeaders = ['x-signalbox-user-id', 'helicone-user-id']

/** Who and which run a call belongs to, from its headers, else from the body's `metadata` and `user`. */
export function readTags(headers: IncomingHttpHeaders, body: ReadonlyMap<string, unknown>): CallTags {
	const metadata = readMetadata(body.get('metadata'))
	return {
		sessionId: firstHeader(headers, sessionHeaders) || metadata.session,
		userId:
			firstHeader(headers, userHeaders) ||
			metadata.user ||
			clip(body.get('safety_identifier')) ||
			clip(body.get('user')),
		client: clientOf(headers),
		tags: parseTags(headers['x-signalbox-tags']),
	}
}

/** Claude Code writes JSON or `user_…_account_…_session_<uuid>` into `metadata.user_id`; others a plain id. */
function readMetadata(metadata: unknown): { session: string; user: string } {
	const text = clip((metadata as { user_id?: unknown } | null | undefined)?.user_id, 4096)
	const legacy = text.match(/^user_(\S+?)_account_(\S*?)_session_([0-9a-f-]{8,64})$/)
	if (legacy) return { session: legacy[3] as string, user: clip(legacy[2] || legacy[1]) }
	if (!text.startsWith('{')) return { session: '', user: clip(text) }
	try {
		const { session_id, account_uuid, device_id } = JSON.parse(text) as Record<string, unknown>
		return { session: clip(session_id), user: clip(account_uuid) || clip(device_id) }
	} catch {
		return { session: '', user: clip(text) }
	}
}

/** `OpenAI/JS 7.55.0` → `OpenAI-JS/7.55.0`; `claude-cli/2.1.90 (external, cli)` → `claude-cli/2.1.90`. */
function clientOf(headers: IncomingHttpHeaders): string {
	const agent = headers['user-agent'] ?? ''
	const spaced = agent.match(/^([\w.-]+)\/([A-Za-z]+) (\d[\w.+-]*)/)
	if (spaced) return clip(`${spaced[1]}-${spaced[2]}/${spaced[3]}`)
	return clip(agent.match(/^[\w.@-]+\/[\w.+-]+/)?.[0])
}

function parseTags(header: unknown): ReadonlyMap<string, string> {
	const tags = new Map<string, string>()
	if (typeof header !== 'string') return tags
	for (const part of header.split(',').slice(0, tagLimit)) {
		const [name = '', ...value] = part.split('=')
		if (name.trim()) tags.set(clip(name.trim()), clip(value.join('=').trim()) || 'true')
	}
	return tags
}

function firstHeader(headers: IncomingHttpHeaders, names: readonly string[]): string {
	for (const name of names) {
		const value = clip(headers[name])
		if (value) return value
	}
	return ''
}

function clip(value: unknown, limit = textLimit): string {
	return typeof value === 'string' ? value.slice(0, limit) : ''
}
