import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { nowNs } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { Intent, SpanRow } from '../../telemetry/index.ts'
import { AnswerWay } from './answer-way.ts'
import { Attempt, type AttemptListener } from './attempt.ts'
import { type AttemptSummary, attemptTold } from './attempt-summary.ts'
import { type BodyHashes, bodyHashes } from './body-hash.ts'
import type { CallBody } from './call-body.ts'
import type { ModelCallDependencies } from './call-dependencies.ts'
import { figuresOf } from './call-figures.ts'
import {
	type CallFacts,
	draftRow,
	type Ending,
	type Figures,
	outcomeRow,
	problemToTell,
	tooLong,
} from './call-record.ts'
import { ClientAnswer } from './client-answer.ts'
import { ContentsOfCall } from './contents/contents-of-call.ts'
import { CallHooks } from './hooks/call-hooks.ts'
import { StoredByCall } from './objects/stored-by-call.ts'
import { OwnTime } from './own-time.ts'
import { CallAllowance } from './pay-call.ts'
import type { ModelProvider } from './providers/provider.ts'
import type { CallPlan, Step } from './reliability/call-plan.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** How long a call is read on for exact figures after its client has left. */
const drainMs = 30_000

/**
 * One call: bytes go from the client to the provider and back unchanged, a tee reads along, and exactly one outcome is
 * recorded, before the response ends. It may take several attempts, of which the client sees one.
 */
export class ModelCall implements AttemptListener {
	readonly #deps: ModelCallDependencies
	readonly #facts: CallFacts
	readonly #provider: ModelProvider
	readonly #request: IncomingMessage
	readonly #answer: ClientAnswer
	readonly #way: AnswerWay
	#hooks: CallHooks | null = null
	#plan: CallPlan | null = null
	#body: CallBody | null = null
	#attempt: Attempt | null = null
	/** Whether a provider may have worked on it. */
	#wasSent = false
	/** The attempts that are over. */
	readonly #told: AttemptSummary[] = []
	/** The draft before it is announced. */
	#planned: SpanRow | null = null
	#draft: SpanRow | null = null
	#intent: Intent | null = null
	/** Set once; whatever happens afterwards changes nothing. */
	#ending: Ending | null = null
	/** Until the whole call has taken too long, or the next attempt is due. */
	#total: NodeJS.Timeout | null = null
	#pause: NodeJS.Timeout | null = null
	/** Set when the call goes on without its client; settled when it is recorded. */
	#unattended: PromiseWithResolvers<void> | null = null
	readonly #allowance: CallAllowance
	#askingForMore = false
	readonly #stored: StoredByCall
	readonly #contents: ContentsOfCall
	readonly #ownTime = new OwnTime()

	constructor(
		deps: ModelCallDependencies,
		facts: CallFacts,
		provider: ModelProvider,
		request: IncomingMessage,
		response: ServerResponse,
	) {
		this.#deps = deps
		this.#facts = facts
		this.#stored = new StoredByCall(deps, facts)
		this.#contents = new ContentsOfCall(deps.contents)
		this.#provider = provider
		this.#request = request
		this.#answer = new ClientAnswer(response, facts.requestId)
		this.#way = new AnswerWay(this.#answer, (error) => this.#cannotGoOn(error))
		this.#allowance = new CallAllowance(deps)
		response.once('close', () => this.#clientGone())
	}

	/** The connection and the model that the call is with now; null before it was sent. */
	get step(): Step | null {
		return this.#attempt?.step ?? this.#plan?.first ?? null
	}

	/** Announces the call and sends it. `body` is as the client sent it. */
	async forward(planned: CallPlan, body: CallBody): Promise<void> {
		if (this.#ending) return
		this.#ownTime.read()
		this.#plan = planned
		this.#body = body
		const draft = draftRow(this.#facts, planned.first.target, body)
		this.#planned = draft
		const hooked = this.#deps.hooks.of(draft.workspaceId) !== undefined
		const plan = hooked ? await this.#judged(planned, draft, body) : planned
		if (this.#ending) return
		this.#allowance.plan(draft, body, planned.first.target.surface?.defers)
		const step = await this.#allowance.admit(plan, plan.first)
		if (this.#ending) return this.#allowance.release()
		this.#draft = draft
		const intent = await this.#announce(draft)
		if (this.#ending) return void this.#finish(intent, this.#ending)
		const { totalMs } = plan.rules.timeouts
		if (totalMs !== null) this.#total = setTimeout(() => this.#conclude(tooLong(totalMs)), totalMs)
		this.#send(step)
		// While the provider works.
		this.#contents.begin(this.#facts, draft, step, this.#hooks ? step.body : body)
	}

	/** The plan with what hooks leave of the body. Throws the Problem that refuses the call. */
	async #judged(plan: CallPlan, draft: SpanRow, body: CallBody): Promise<CallPlan> {
		const { requestId, headers } = this.#facts
		const call = { requestId, headers, draft, plan, body }
		this.#hooks = CallHooks.of(this.#deps, call)
		if (this.#hooks) this.#plan = await this.#hooks.judgeRequest(call)
		return this.#plan ?? plan
	}

	/** Ends the call here: refuses it, or ends a running stream with the provider's error event. */
	cut(problem: Problem): void {
		this.#conclude({ kind: 'refused', problem })
	}

	async #announce(draft: SpanRow): Promise<Intent> {
		try {
			this.#intent = await this.#deps.recorder.begin(draft)
			return this.#intent
		} catch (error) {
			this.#draft = null
			this.#allowance.release()
			throw error
		}
	}

	#send(step: Step): void {
		const { more, rules } = this.#plan as CallPlan
		if (step.entry) this.#deps.noteUse(step.entry)
		this.#attempt = new Attempt(step, more, this)
		this.#ownTime.sent(this.#attempt)
		this.#attempt.send(this.#deps, this.#request, rules.timeouts)
	}

	/** By the key's policy a call that is at its provider ends there, or goes on without a reader. */
	#clientGone(): void {
		const { onDisconnect } = this.#facts
		const leave = () => this.#conclude({ kind: 'client_gone' })
		if (this.#ending || onDisconnect === 'abort' || !this.#attempt?.running) leave()
		else this.#goOnAlone(onDisconnect === 'drain' ? leave : null)
	}

	#goOnAlone(leave: (() => void) | null): void {
		this.#unattended = Promise.withResolvers()
		this.#deps.unattended.add(this, this.#unattended.promise)
		this.#way.drained()
		if (!leave) return
		clearTimeout(this.#total ?? undefined)
		this.#total = setTimeout(leave, drainMs)
	}

	onAnswer(attempt: Attempt): void {
		const timing = this.#ownTime.answered(attempt)
		this.#way.begin(attempt, [...this.#allowance.headers, 'server-timing', timing], this.#hooks)
	}

	onPiece(chunk: Buffer, controller: Dispatcher.DispatchController): void {
		if (!this.#ending) this.#way.piece(chunk, controller)
	}

	/** Lets no more of an answer pass than its budgets hold money for. */
	onReading(controller: Dispatcher.DispatchController): void {
		if (this.#attempt) this.#stored.see(this.#attempt)
		if (this.#askingForMore || this.#ending) return
		const decision = this.#allowance.progress(this.#attempt?.reader?.reading.generatedBytes ?? 0)
		if (decision === null) return
		this.#askingForMore = true
		const asked = decision.catch(() => new Problem('store_unavailable'))
		const decided = asked.then((problem) => {
			this.#askingForMore = false
			if (problem) this.cut(problem)
		})
		this.#way.holdUntil(decided, controller)
	}

	onOver(attempt: Attempt, failure: UpstreamFailure | null): void {
		if (this.#ending) return
		const verdict = attempt.verdict(failure)
		this.#wasSent ||= attempt.mayHaveRun
		this.#told.push(attemptTold(attempt, failure))
		const mayGoOn = !attempt.answers && !this.#unattended && (verdict === 'again' || verdict === 'elsewhere')
		const next = mayGoOn ? this.#plan?.next(verdict, attempt.askedMs) : null
		if (next) this.#goOn(attempt.step, next.step, next.waitMs)
		else if (failure) this.#conclude({ kind: 'failed', ...failure })
		else {
			attempt.answer()
			this.#way.end(() => this.#conclude({ kind: 'complete' }))
		}
	}

	/** The next attempt, with money held for its model. */
	#goOn(before: Step, step: Step, waitMs: number): void {
		this.#pause = setTimeout(() => {
			this.#pause = null
			void this.#switchTo(before, step).catch((error: unknown) => this.#cannotGoOn(error))
		}, waitMs)
	}

	async #switchTo(before: Step, step: Step): Promise<void> {
		const admitted = step === before ? step : await this.#allowance.admit(this.#plan as CallPlan, step)
		if (this.#ending) this.#allowance.release()
		else this.#send(admitted)
	}

	#cannotGoOn(error: unknown): void {
		if (!(error instanceof Problem)) this.#warn(error, 'model call: it cannot go on')
		this.cut(error instanceof Problem ? error : new Problem('internal'))
	}

	#warn(error: unknown, text: string): void {
		this.#deps.log.error({ err: error, request_id: this.#facts.requestId }, text)
	}

	#conclude(ending: Ending): void {
		if (this.#ending) return
		this.#ending = ending
		this.#way.close()
		clearTimeout(this.#total ?? undefined)
		clearTimeout(this.#pause ?? undefined)
		this.#wasSent ||= this.#attempt?.mayHaveRun === true
		if (ending.kind !== 'complete') this.#attempt?.abort()
		// A call that is being announced right now is finished by `forward`.
		if (this.#intent) void this.#finish(this.#intent, ending)
		else if (!this.#draft) void this.#recordUnannounced(ending)
	}

	async #recordUnannounced(ending: Ending): Promise<void> {
		this.#draft = this.#planned ?? draftRow(this.#facts, this.step?.target ?? null)
		try {
			await this.#finish(await this.#deps.recorder.begin(this.#draft), ending)
		} catch (error) {
			// A full log must not keep a refusal from its caller: nothing went upstream.
			this.#warn(error, 'model call: refusal not recorded')
			this.#tell(ending)
		}
	}

	async #finish(intent: Intent, ending: Ending): Promise<void> {
		const endNs = nowNs()
		try {
			await this.#attempt?.read()
			const draft = await this.#contents.withSession(this.#draft as SpanRow)
			const stored = await this.#stored.end(this.#attempt, draft)
			const hashes = await bodyHashes(this.#body?.bytes ?? null, this.#attempt, this.#answer)
			const figures = this.#figures(ending, endNs, stored.deferred, hashes)
			const row = outcomeRow(draft, ending, figures, this.#deps.priceCall)
			this.#allowance.settle(row)
			await this.#deps.recorder.finish(intent, row)
			if (stored.failure) throw stored.failure.error
			this.#tell(ending)
			this.#contents.end(row, this.#attempt)
		} catch (error) {
			this.#contents.drop()
			this.#warn(error, 'model call: not all of it is recorded')
			this.#answer.destroy()
			this.#tell(ending)
		}
		this.#unattended?.resolve()
	}

	#figures(ending: Ending, endNs: bigint, deferred: boolean, hashes: BodyHashes): Figures {
		return {
			...{ endNs, deferred, hashes, sent: this.#wasSent, step: this.step },
			unattended: this.#unattended !== null,
			route: this.#plan?.rules.route ?? '',
			attempts: this.#told,
			timing: this.#ownTime.told,
			hooks: this.#hooks?.outcomes.told ?? '',
			...figuresOf(this.#attempt, ending),
		}
	}

	/** What the client sees of the end, once it is recorded. */
	#tell(ending: Ending): void {
		if (ending.kind === 'complete') this.#answer.complete()
		if (!('problem' in ending)) return
		this.#answer.fail(problemToTell(ending, this.#wasSent), this.#provider)
		// The rest of an unread body would otherwise hold the connection open.
		if (!this.#request.complete) this.#request.resume()
	}
}
