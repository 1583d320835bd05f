import { setImmediate } from 'node:timers/promises'
import type { HookAction, HookStage } from '@signalbox/contract'
import { systemClock } from '../../../platform/clock.ts'
import type { SealContext } from '../../../platform/crypto/seal.ts'
import { signedHeaders } from '../../../platform/crypto/webhook-secret.ts'
import type { ControlSchema } from '../../../platform/database/schema.ts'
import { Problem } from '../../../platform/errors.ts'
import { compileOwnPattern } from '../../../platform/redaction/own-pattern.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'

export type HookRow = ControlSchema['hooks']

/** Removes its matches from a text, step by step, and reports each one. */
type Redact = (text: string, onMatch: () => void) => Iterator<void, string>

/** Also used for signing until it expires. */
interface OldSecret {
	secret: string
	expiresMs: number
}

/** A hook in the form used to check calls. */
export interface Hook {
	id: string
	workspaceId: string
	name: string
	action: HookAction
	/** False for a dry run. */
	enforced: boolean
	failsClosed: boolean
	timeoutMs: number
	stages: ReadonlySet<HookStage>
	connections: readonly string[]
	models: readonly string[]
	agents: readonly string[]
	label: string
	/** Null for a webhook. */
	redact: Redact | null
	/** Null unless the hook is a webhook. */
	webhook: { url: string; secret: string; old: OldSecret | null } | null
}

/** `open` decrypts a secret of its webhook. */
export function toHook(row: HookRow, open: (row: HookRow, sealed: string) => string): Hook {
	const { label, pattern, url } = row
	const list = (json: string) => JSON.parse(json) as string[]
	const own = pattern === null ? null : compileOwnPattern(pattern)
	return {
		id: row.id,
		workspaceId: row.workspace_id,
		name: row.name,
		action: row.action as HookAction,
		enforced: row.mode === 'enforce',
		failsClosed: row.fail_mode === 'closed',
		timeoutMs: row.timeout_ms,
		stages: new Set(list(row.stages) as HookStage[]),
		connections: list(row.connections),
		models: list(row.models),
		agents: list(row.agents),
		label,
		redact: own && ((text, onMatch) => own.replacing(text, label, onMatch)),
		webhook:
			url === null ? null : { url, secret: open(row, row.sealed_secret ?? ''), old: oldSecret(row, open) },
	}
}

function oldSecret(row: HookRow, open: (row: HookRow, sealed: string) => string): OldSecret | null {
	const { sealed_previous_secret: sealed, previous_expires_at: expiresMs } = row
	return sealed === null || expiresMs === null ? null : { secret: open(row, sealed), expiresMs }
}

/** The context to which a hook's secret is bound, so that it is never used to sign for another receiver. */
export function hookSecretContext(row: Pick<HookRow, 'id' | 'workspace_id' | 'url'>): SealContext {
	const origin = new URL(row.url ?? '').origin
	return { workspaceId: row.workspace_id, kind: 'hook_secret', origin, id: row.id }
}

type HookResult = 'denied' | 'redacted' | 'allowed' | 'failed'

/** What a hook did to a call, in the form of the call's record. */
interface HookOutcome {
	hook: string
	stage: HookStage
	/** In a dry run: what it would have done. */
	result: HookResult
	dry_run?: true
	/** How often it ran: a stream is checked in parts. */
	times: number
	/** The number of matches of its pattern or its webhook. */
	matches?: number
	/** Why it failed. */
	error?: string
	/** The total time of its webhook, in ms. */
	ms?: number
}

/** The outcomes of one call. */
export class HookOutcomes {
	readonly #outcomes = new Map<string, HookOutcome>()

	note(
		{ id, name, enforced }: Hook,
		stage: HookStage,
		result: HookResult,
		detail: Pick<HookOutcome, 'matches' | 'error' | 'ms'> = {},
	): void {
		const key = `${id} ${stage} ${result}`
		const before = this.#outcomes.get(key)
		const outcome: HookOutcome = before ?? { hook: name, stage, result, times: 0 }
		outcome.times += 1
		if (!enforced) outcome.dry_run = true
		if (detail.matches) outcome.matches = (before?.matches ?? 0) + detail.matches
		if (detail.ms !== undefined) outcome.ms = (before?.ms ?? 0) + detail.ms
		if (detail.error) outcome.error = detail.error
		this.#outcomes.set(key, outcome)
	}

	/** Whether a hook has refused what it checked; in a dry run: whether it would have. */
	hasDenied({ id }: Hook, stage: HookStage): boolean {
		return this.#outcomes.has(`${id} ${stage} denied`)
	}

	/** JSON, or '' if no hook has anything to report. */
	get json(): string {
		return this.#outcomes.size === 0 ? '' : JSON.stringify([...this.#outcomes.values()])
	}
}

/** The facts about a call that a webhook gets with its texts. */
interface AskedCallFacts {
	request_id: string
	connection: string
	model: string | null
	agent: { uuid: string; name: string } | null
	session_id: string | null
	user_id: string | null
}

type WebhookAnswer =
	| { action: 'allow' }
	| { action: 'deny'; reason: string }
	/** Literal texts that are removed wherever they occur. */
	| { action: 'redact'; matches: readonly string[] }

const maxAnswerBytes = 1024 * 1024
const maxMatches = 1000

/** Sends texts to a hook's webhook. Rejects with an Error that says why there is no answer. */
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
		maxBytes: maxAnswerBytes,
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
	throw new Error('Its webhook answered without a known action.')
}

function parsed(text: string): Record<string, unknown> {
	try {
		return Object(JSON.parse(text)) as Record<string, unknown>
	} catch {
		throw new Error('Its webhook did not answer with JSON.')
	}
}

function isTexts(value: unknown): value is string[] {
	return (
		Array.isArray(value) &&
		value.length <= maxMatches &&
		value.every((text) => typeof text === 'string' && text !== '')
	)
}

const turnMs = 5

/** Runs work on the event loop in steps, and yields when a time slice is over. */
class Turns {
	#since = performance.now()

	/** Runs all steps. Resolves with the result of the last one. */
	async through<T>(steps: Iterator<void, T>): Promise<T> {
		for (;;) {
			const { done, value } = steps.next()
			if (done) return value
			if (performance.now() - this.#since < turnMs) continue
			await setImmediate()
			this.#since = performance.now()
		}
	}
}

/** What checking texts with hooks needs. */
export interface CheckContext {
	ask(hook: Hook, stage: HookStage, call: AskedCallFacts, texts: readonly string[]): Promise<WebhookAnswer>
	call: AskedCallFacts
	outcomes: HookOutcomes
}

type Texts = readonly string[]
/** A hook's result: the remaining texts, and the number of matches. */
interface Findings {
	texts: Texts
	matches: number
	/** Null if the texts are not refused. */
	refusal: string | null
	ms?: number
}

/**
 * Runs the hooks on texts one after the other; each gets the texts left by the previous one. Resolves with the remaining texts.
 * Throws Problem `hook_denied`, or `hook_failed` for a hook that fails closed.
 */
export async function checkTexts(
	context: CheckContext,
	hooks: readonly Hook[],
	stage: HookStage,
	texts: Texts,
): Promise<Texts> {
	let left = texts
	for (const hook of hooks) {
		const findings = await runHook(context, hook, stage, left)
		if (findings && hook.enforced) left = findings.texts
	}
	return left
}

/** Null if the hook failed and the call continues. */
async function runHook(
	context: CheckContext,
	hook: Hook,
	stage: HookStage,
	texts: Texts,
): Promise<Findings | null> {
	const findings = await (hook.webhook
		? byWebhook(context, hook, stage, texts)
		: byPattern(hook, texts)
	).catch((error: Error) => failed(context.outcomes, hook, stage, error.message))
	if (!findings) return null
	const { matches, refusal, ms } = findings
	const result = refusal !== null ? 'denied' : matches > 0 ? 'redacted' : 'allowed'
	// A pattern without a match is not recorded.
	if (result !== 'allowed' || hook.webhook)
		context.outcomes.note(hook, stage, result, { matches, ...(ms !== undefined && { ms }) })
	if (refusal !== null && hook.enforced) throw denied(hook, stage, refusal)
	return findings
}

/** Records that a hook could not decide. Throws Problem `hook_failed` if it fails closed. */
export function failed(outcomes: HookOutcomes, hook: Hook, stage: HookStage, error: string): null {
	outcomes.note(hook, stage, 'failed', { error: error.slice(0, 200) })
	if (!hook.enforced || !hook.failsClosed) return null
	throw new Problem('hook_failed', `The hook ${hook.name} could not check the ${stage}: ${error}`)
}

function denied({ name }: Hook, stage: HookStage, reason: string): Problem {
	return new Problem('hook_denied', `The hook ${name} refused the ${stage}${reason && `: ${reason}`}.`)
}

async function byPattern({ action, redact }: Hook, texts: Texts): Promise<Findings> {
	const left: string[] = []
	let matches = 0
	const count = () => {
		matches += 1
	}
	const turns = new Turns()
	for (const text of texts) left.push(redact ? await turns.through(redact(text, count)) : text)
	if (action === 'redact') return { texts: left, matches, refusal: null }
	return { texts, matches, refusal: matches > 0 ? '' : null }
}

async function byWebhook(
	context: CheckContext,
	hook: Hook,
	stage: HookStage,
	texts: Texts,
): Promise<Findings> {
	const startedMs = performance.now()
	const answer = await context.ask(hook, stage, context.call, texts)
	const ms = Math.round(performance.now() - startedMs)
	if (answer.action === 'allow') return { texts, matches: 0, refusal: null, ms }
	if (answer.action === 'deny') return { texts, matches: 0, refusal: answer.reason, ms }
	if (stage === 'stream') throw new Error('Its webhook would redact a stream, which cannot be changed.')
	return { ...withoutMatches(texts, answer.matches, `[redacted:${hook.label}]`), refusal: null, ms }
}

/** What several texts cover together is removed as a whole, so that nothing stays of a text in which another one occurs. */
function withoutMatches(texts: Texts, found: Texts, label: string): Pick<Findings, 'texts' | 'matches'> {
	let matches = 0
	const left = texts.map((text) => {
		const ranges = [...new Set(found)].flatMap((match) => rangesOf(text, match)).sort(([a], [b]) => a - b)
		matches += ranges.length
		let rest = ''
		let kept = 0
		for (const [start, end] of ranges) {
			if (start >= kept) rest += text.slice(kept, start) + label
			kept = Math.max(kept, end)
		}
		return rest + text.slice(kept)
	})
	return { texts: left, matches }
}

function rangesOf(text: string, match: string): [start: number, end: number][] {
	const ranges: [number, number][] = []
	for (let at = text.indexOf(match); at >= 0; at = text.indexOf(match, at + match.length))
		ranges.push([at, at + match.length])
	return ranges
}
