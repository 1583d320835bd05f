import type { HookStage } from '@signalbox/contract'
import { systemClock } from '../../../platform/clock.ts'
import { signedHeaders } from '../../../platform/crypto/webhook-secret.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import type { Hook } from './hook.ts'

/** What a webhook is told of a call beside its texts. */
export interface AskedCallFacts {
	request_id: string
	connection: string
	model: string | null
	agent: { uuid: string; name: string } | null
	session_id: string | null
	user_id: string | null
}

export type WebhookAnswer =
	| { action: 'allow' }
	| { action: 'deny'; reason: string }
	/** Literal texts that are taken out wherever they stand. */
	| { action: 'redact'; matches: readonly string[] }

const mostAnswerBytes = 1024 * 1024
const mostMatches = 1000

/** Asks a hook's webhook about texts; rejects with an Error that says why there is no answer. */
export async function askWebhook(
	safeFetch: Pick<SafeFetch, 'fetch'>,
	{ id, name, webhook, timeoutMs }: Hook,
	stage: HookStage,
	call: AskedCallFacts,
	texts: readonly string[],
): Promise<WebhookAnswer> {
	const { url, secret, old } = webhook as NonNullable<Hook['webhook']>
	const body = JSON.stringify({ hook: { id, name }, stage, ...call, texts })
	const nowMs = systemClock.nowMs()
	const timestampS = Math.floor(nowMs / 1000)
	const secrets = old && old.expiresMs > nowMs ? [secret, old.secret] : [secret]
	const response = await safeFetch.fetch(url, {
		method: 'POST',
		headers: {
			'content-type': 'application/json',
			'user-agent': 'Signalbox-Hooks/1.0',
			...signedHeaders({ id: `${call.request_id}.${stage}`, timestampS, body }, secrets),
		},
		body,
		redirects: 0,
		timeoutMs,
		maxBytes: mostAnswerBytes,
	})
	const text = await response.text()
	if (!response.ok) throw new Error(`Its webhook answered ${response.status}.`)
	return readAnswer(text)
}

function readAnswer(text: string): WebhookAnswer {
	const answer = parsed(text)
	const { action, reason, matches } = answer
	if (action === 'allow') return { action }
	if (action === 'deny') return { action, reason: typeof reason === 'string' ? reason.slice(0, 200) : '' }
	if (action === 'redact' && isTexts(matches)) return { action, matches }
	throw new Error('Its webhook answered nothing that is an action.')
}

function parsed(text: string): Record<string, unknown> {
	try {
		return Object(JSON.parse(text)) as Record<string, unknown>
	} catch {
		throw new Error('Its webhook answered no JSON.')
	}
}

function isTexts(value: unknown): value is string[] {
	return (
		Array.isArray(value) &&
		value.length <= mostMatches &&
		value.every((text) => typeof text === 'string' && text !== '')
	)
}
