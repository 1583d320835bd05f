import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders } from 'node:http'
import type { HookStage } from '@signalbox/contract'
import { matchesModel } from '../../../access/grants/index.ts'
import { Problem } from '../../../platform/errors.ts'
import type { SafeFetch } from '../../../platform/safe-fetch.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import { type CallBody, cannotRead, type FormPart } from '../call-body.ts'
import { type CallPlan, requestedIn, type Step } from '../reliability/call-plan.ts'
import type { Hook } from './hook.ts'
import { askWebhook, type CheckContext, checkTexts, failed, HookOutcomes } from './hook.ts'
import type { HookView } from './hooks.ts'
import { JsonTexts } from './json-texts.ts'

export interface HookDependencies {
	hooks: HookView
	safeFetch: Pick<SafeFetch, 'fetch'>
}

/** A call in the form that hooks see. */
export interface HookedCall {
	requestId: string
	headers: IncomingHttpHeaders
	draft: SpanRow
	plan: CallPlan
	body: CallBody
}

/** The hooks of one call: they check its request before it is sent, and its answer before the client gets it. */
export class CallHooks {
	readonly outcomes = new HookOutcomes()
	readonly #hooks: readonly Hook[]
	readonly #context: CheckContext

	private constructor(hooks: readonly Hook[], { safeFetch }: HookDependencies, call: HookedCall) {
		this.#hooks = hooks
		this.#context = {
			ask: (hook, stage, facts, texts) => askWebhook(safeFetch, hook, stage, facts, texts),
			call: factsOf(call),
			outcomes: this.outcomes,
		}
	}

	/** Null if no hook applies to the call. */
	static of(deps: HookDependencies, call: HookedCall): CallHooks | null {
		const all = deps.hooks.of(call.draft.workspaceId)
		if (!all) return null
		const names = namesOf(call)
		const hooks = all.filter((hook) => isFor(hook, names))
		return hooks.length > 0 ? new CallHooks(hooks, deps, call) : null
	}

	at(stage: HookStage): readonly Hook[] {
		return this.#hooks.filter(({ stages }) => stages.has(stage))
	}

	/** See `checkTexts`. */
	check(hooks: readonly Hook[], stage: HookStage, texts: readonly string[]): Promise<readonly string[]> {
		return checkTexts(this.#context, hooks, stage, texts)
	}

	/** None of these hooks can read what it should check. Throws Problem if one of them fails closed. */
	fail(hooks: readonly Hook[], stage: HookStage, error: string): void {
		for (const hook of hooks) failed(this.outcomes, hook, stage, error)
	}

	/** The plan with the body as changed by the hooks. Throws the Problem that refuses the call. */
	async checkRequest({ plan, body }: HookedCall): Promise<CallPlan> {
		const hooks = this.at('request')
		const replaced =
			hooks.length === 0 || body.plain.length === 0 ? nothing : await this.#checkBody(hooks, body)
		const bodies = new Map<CallBody, CallBody>()
		// The body for another model of a route differs only in the model.
		for (const { body: sent } of plan.steps)
			if (replaced.size > 0 && sent.json && !bodies.has(sent))
				bodies.set(sent, sent.replaced((await JsonTexts.of(sent.plain, sent.json)).replace(replaced)))
		const reads = this.at('response').length + this.at('stream').length > 0
		return plan.changed((step: Step) => ({
			...step,
			plainAnswer: reads || step.plainAnswer === true,
			body: bodies.get(step.body) ?? step.body,
			isChanged: bodies.has(step.body),
		}))
	}

	/** The texts that the hooks changed, with their replacements. */
	async #checkBody(hooks: readonly Hook[], body: CallBody): Promise<ReadonlyMap<string, string>> {
		if (body.fault !== null) {
			for (const hook of hooks) this.#refuseUnread(hook, body)
			return nothing
		}
		const texts = body.json
			? (await JsonTexts.of(body.plain, body.json)).texts
			: await formTexts(body.form ?? [])
		const replaced = replacedTexts(texts, await this.check(hooks, 'request', texts))
		if (replaced.size > 0 && body.form)
			throw new Problem(
				'hook_denied',
				'A hook would take something out of this form, which cannot be changed.',
			)
		return replaced
	}

	/** Independent of its `fail_mode`: otherwise a caller could disable a hook by what it sends. */
	#refuseUnread(hook: Hook, body: CallBody): void {
		this.outcomes.note(hook, 'request', 'failed', { error: (body.fault as string).slice(0, 200) })
		if (hook.enforced) throw cannotRead(body, `The hook ${hook.name}`)
	}
}

const nothing: ReadonlyMap<string, string> = new Map()

/** Maps each changed text to its replacement. */
export function replacedTexts(before: readonly string[], after: readonly string[]): Map<string, string> {
	const replaced = new Map<string, string>()
	for (const [at, text] of before.entries()) {
		if (after[at] !== undefined && after[at] !== text) replaced.set(text, after[at])
	}
	return replaced
}

export function isPlain(headers: IncomingHttpHeaders): boolean {
	const encoding = headers['content-encoding'] ?? 'identity'
	return encoding === '' || encoding === 'identity'
}

/** The names by which a hook may select a call. */
interface Names {
	connections: readonly string[]
	/** Null if unknown. */
	models: readonly string[] | null
	agents: readonly (string | null)[]
}

function namesOf({ draft, plan, body }: HookedCall): Names {
	const { steps } = plan
	const asked = requestedIn(plan.first, body)
	const others = steps.flatMap(({ model }) => (model === null ? [] : [model]))
	return {
		connections: [draft.connection, ...steps.map(({ connection }) => connection)],
		models: asked === null ? null : [asked, ...others],
		agents: draft.agentId === '' ? [null] : [draft.agentId, draft.agentName],
	}
}

/** A call whose model is unknown could be for any model. */
function isFor(hook: Hook, { connections, models, agents }: Names): boolean {
	const some = (patterns: readonly string[], names: readonly (string | null)[]) =>
		names.some((name) => patterns.some((pattern) => matchesModel(pattern, name)))
	return (
		some(hook.connections, connections) &&
		(models === null || some(hook.models, models)) &&
		some(hook.agents, agents)
	)
}

function factsOf({ requestId, draft }: HookedCall): CheckContext['call'] {
	const { agentId, agentName, connection, modelRequested, sessionId, userId } = draft
	return {
		request_id: requestId,
		connection,
		model: modelRequested || null,
		agent: agentId === '' ? null : { uuid: agentId, name: agentName },
		session_id: sessionId || null,
		user_id: userId || null,
	}
}

/**
 * The texts of a form: every textual part as it is, and the texts of JSON documents in its lines, as in a batch. Parts that are
 * not text, like a picture or a recording, are skipped, as they are in a JSON document.
 */
async function formTexts(form: readonly FormPart[]): Promise<string[]> {
	const texts: string[] = []
	for (const { value } of form) {
		if (!isUtf8(value) || value.includes(0)) continue
		texts.push(value.toString())
		if (!value.includes('\\')) continue
		for (const line of linesOf(value))
			for (const text of (await JsonTexts.read(line))?.texts ?? []) texts.push(text)
	}
	return texts
}

function* linesOf(value: Buffer): Generator<Buffer> {
	for (let from = 0; from < value.length; ) {
		const end = value.indexOf('\n', from)
		const to = end < 0 ? value.length : end
		if (to - from > 1) yield value.subarray(from, to)
		from = to + 1
	}
}
