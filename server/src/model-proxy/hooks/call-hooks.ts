import type { IncomingHttpHeaders } from 'node:http'
import type { HookStage } from '@signalbox/contract'
import { matchesModel } from '../../access-grants/index.ts'
import type { SafeFetch } from '../../platform/safe-fetch.ts'
import type { SpanRow } from '../../telemetry/index.ts'
import { modelIn } from '../asked-model.ts'
import type { CallPlan, Step } from '../reliability/call-plan.ts'
import { askWebhook } from './ask-webhook.ts'
import type { Hook } from './hook.ts'
import { HookOutcomes } from './hook-outcomes.ts'
import type { HookView } from './hook-view.ts'
import { JsonTexts } from './json-texts.ts'
import { failed, type Judging, judgeTexts } from './judge-texts.ts'

export interface HookDependencies {
	hooks: HookView
	safeFetch: Pick<SafeFetch, 'fetch'>
}

/** A call as hooks see it. */
export interface HookedCall {
	requestId: string
	headers: IncomingHttpHeaders
	draft: SpanRow
	plan: CallPlan
	body: Buffer
}

/** The hooks of one call: they judge what it asks before it goes out, and its answer before the client has it. */
export class CallHooks {
	readonly outcomes = new HookOutcomes()
	readonly #hooks: readonly Hook[]
	readonly #judging: Judging

	private constructor(hooks: readonly Hook[], { safeFetch }: HookDependencies, call: HookedCall) {
		this.#hooks = hooks
		this.#judging = {
			ask: (hook, stage, facts, texts) => askWebhook(safeFetch, hook, stage, facts, texts),
			call: factsOf(call),
			outcomes: this.outcomes,
		}
	}

	/** Null: the call has none, and passes as if there were no hooks. */
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

	/** See `judgeTexts`. */
	judge(hooks: readonly Hook[], stage: HookStage, texts: readonly string[]): Promise<readonly string[]> {
		return judgeTexts(this.#judging, hooks, stage, texts)
	}

	/** None of these hooks can read what it should judge. Throws Problem where one fails closed. */
	fail(hooks: readonly Hook[], stage: HookStage, error: string): void {
		for (const hook of hooks) failed(this.outcomes, hook, stage, error)
	}

	/** The plan with what the hooks leave of the body. Throws the Problem that refuses the call. */
	async judgeRequest({ plan, headers, body }: HookedCall): Promise<CallPlan> {
		const edit = await this.#editOf(headers, body)
		const reads = this.at('response').length + this.at('stream').length > 0
		return plan.changed((step: Step) => ({
			...step,
			plainAnswer: reads || step.plainAnswer === true,
			body: edit?.(step.body) ?? step.body,
		}))
	}

	/** Null: the body stays as it is. */
	async #editOf(headers: IncomingHttpHeaders, body: Buffer): Promise<((body: Buffer) => Buffer) | null> {
		const hooks = this.at('request')
		if (hooks.length === 0 || body.length === 0) return null
		const document = isPlain(headers) ? JsonTexts.read(body) : null
		if (!document) {
			this.fail(hooks, 'request', 'The body is no plain JSON.')
			return null
		}
		const left = await this.judge(hooks, 'request', document.texts)
		const replaced = replacedTexts(document.texts, left)
		// Where a route asks for another model, its body differs in that alone.
		return replaced.size === 0 ? null : (sent) => JsonTexts.read(sent)?.replace(replaced) ?? sent
	}
}

/** Each text that has become another. */
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

/** Every name by which a hook may know a call. */
interface Names {
	connections: readonly string[]
	/** Null: it cannot be told. */
	models: readonly string[] | null
	agents: readonly (string | null)[]
}

function namesOf({ draft, plan, headers, body }: HookedCall): Names {
	const { steps } = plan
	const asked = plan.first.target.surface?.model ?? modelIn(headers, body)
	const others = steps.flatMap(({ model }) => (model === null ? [] : [model]))
	return {
		connections: [draft.connection, ...steps.map(({ connection }) => connection)],
		models: asked === null ? null : [asked, ...others],
		agents: draft.agentId === '' ? [null] : [draft.agentId, draft.agentName],
	}
}

/** A call whose model cannot be told could be for any. */
function isFor(hook: Hook, { connections, models, agents }: Names): boolean {
	const some = (patterns: readonly string[], names: readonly (string | null)[]) =>
		names.some((name) => patterns.some((pattern) => matchesModel(pattern, name)))
	return (
		some(hook.connections, connections) &&
		(models === null || some(hook.models, models)) &&
		some(hook.agents, agents)
	)
}

function factsOf({ requestId, draft }: HookedCall): Judging['call'] {
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
