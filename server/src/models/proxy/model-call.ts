import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { nowNs } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import type { Intent, SpanRow } from '../../telemetry/index.ts'
import { Attempt, type AttemptListener } from './attempt.ts'
import { CallAllowance } from './call-allowance.ts'
import type { CallBody } from './call-body.ts'
import type { ModelCallDependencies } from './call-dependencies.ts'
import {
	type CallFacts,
	draftRow,
	type Ending,
	factsOfBody,
	problemForClient,
	rowTargetOf,
	tooLong,
} from './call-record.ts'
import { AnswerPath, ClientAnswer } from './client-answer.ts'
import { CallHooks } from './hooks/call-hooks.ts'
import { StoredByCall } from './objects/stored-by-call.ts'
import type { ModelProvider } from './providers/provider.ts'
import { asItIsNow, CallPlan, direct, type Step } from './reliability/call-plan.ts'
import {
	AttemptList,
	announcedFacts,
	type EndOfCall,
	endedFacts,
	endFactsOf,
	OwnTime,
	provisionalRow,
} from './rows/facts-of-call.ts'
import type { UpstreamFailure } from './upstream-failure.ts'

/** How long an answer is read to get exact figures after its client has disconnected. */
const drainMs = 30_000

/**
 * The states of a call: `open` while it is read, checked and admitted, and not in the log; `announcing` while it is written to
 * the log; `running` with its providers; `ending` from the first reason to end it; `over` once that is recorded.
 */
const transitions = {
	open: { announce: 'announcing', end: 'ending' },
	announcing: { announced: 'running', notAnnounced: 'open', end: 'ending' },
	running: { end: 'ending' },
	ending: { recorded: 'over' },
	over: {},
} as const satisfies Record<string, Partial<Record<CallEvent, string>>>

type CallState = keyof typeof transitions
type CallEvent = 'announce' | 'announced' | 'notAnnounced' | 'end' | 'recorded'

/** The state of a plain call when it turns into a `ModelCall`. */
export interface PlainProgress {
	step: Step
	intent: Intent
	readNs: bigint
	/** When it was sent; 0 if it was not. */
	sentNs: bigint
	/** Null if neither limits nor budgets count it. */
	allowance: CallAllowance | null
	/** Null if it waits for a connection. */
	controller: Dispatcher.DispatchController | null
}

/**
 * One call: bytes pass unchanged from the client to the provider and back, its facts go into the log, and exactly one outcome is
 * recorded, before the response ends. It may take several attempts, of which the client sees one.
 */
export class ModelCall implements AttemptListener {
	readonly #deps: ModelCallDependencies
	readonly #facts: CallFacts
	readonly #provider: ModelProvider
	readonly #request: IncomingMessage
	readonly #answer: ClientAnswer
	readonly #way: AnswerPath
	#state: CallState = 'open'
	#hooks: CallHooks | null = null
	#plan: CallPlan | null = null
	#body: CallBody | null = null
	#attempt: Attempt | null = null
	/** Whether a provider may have worked on it. */
	#wasSent = false
	readonly #attempts = new AttemptList()
	#draft: SpanRow | null = null
	#intent: Intent | null = null
	#ending: Ending | null = null
	/** Timers for the total time limit and for the delay before the next attempt. */
	#total: NodeJS.Timeout | null = null
	#pause: NodeJS.Timeout | null = null
	/** Set when the call continues without its client; settled when it is recorded. */
	#unattended: PromiseWithResolvers<void> | null = null
	#allowance: CallAllowance
	#askingForMore = false
	readonly #stored: StoredByCall
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
		this.#provider = provider
		this.#request = request
		this.#answer = new ClientAnswer(response, facts.requestId)
		this.#way = new AnswerPath(this.#answer, (error) => this.#cannotGoOn(error))
		this.#allowance = new CallAllowance(deps, this.#attempts.addRefused)
		response.once('close', () => this.clientGone())
	}

	/** The current connection and model; null before the call was sent. */
	get step(): Step | null {
		return this.#attempt?.step ?? this.#plan?.first ?? null
	}

	/** False if the event no longer has an effect. */
	#move(event: CallEvent): boolean {
		const next = (transitions[this.#state] as Partial<Record<CallEvent, CallState>>)[event]
		if (next === undefined) return false
		this.#state = next
		return true
	}

	/** The row of the call before it is sent, on which hooks, limits and budgets depend. */
	get #asRow(): SpanRow {
		const first = this.#plan?.first ?? null
		this.#draft ??= draftRow(this.#facts, rowTargetOf(first), this.#body && factsOfBody(this.#body))
		return this.#draft
	}

	/** Sets what is known about a call that is not announced yet. `body` is as sent by the client. */
	plan(planned: CallPlan, body: CallBody): void {
		this.#ownTime.read()
		this.#plan = planned
		this.#body = body
	}

	/** Announces the call and sends it. `admitted`: set if limits and budgets have admitted it already. */
	async forward(planned: CallPlan, body: CallBody, admitted: CallAllowance | null = null): Promise<void> {
		if (this.#state !== 'open') return
		this.plan(planned, body)
		const hooked = this.#deps.hooks.of(this.#facts.workspaceId) !== undefined
		const plan = hooked ? await this.#checkedByHooks(planned, body) : planned
		if (this.#state !== 'open') return
		const step = admitted ? plan.first : await this.#admitted(plan, body)
		if (admitted) this.#allowance = admitted
		if (!this.#move('announce')) return this.#allowance.release()
		const intent = await this.#announce()
		if (!this.#move('announced')) return void this.#finish(intent)
		const { totalMs } = plan.rules.timeouts
		if (totalMs !== null) this.#total = setTimeout(() => this.#conclude(tooLong(totalMs)), totalMs)
		this.#send(step)
	}

	async #admitted(plan: CallPlan, body: CallBody): Promise<Step> {
		this.#allowance.plan(this.#facts.workspaceId, () => this.#asRow, body, plan.first.target.surface?.defers)
		return this.#allowance.isFree ? plan.first : this.#allowance.admit(plan, plan.first)
	}

	/**
	 * Continues a call that `PlainCall` has announced and may have sent. Returns the attempt that receives the provider's events
	 * from now on; null if nothing was sent.
	 */
	continuePlainCall({ step, intent, readNs, sentNs, controller, allowance }: PlainProgress): Attempt | null {
		this.#plan = new CallPlan([step], direct)
		this.#body = step.body
		this.#intent = intent
		this.#state = 'running'
		this.#ownTime.read(readNs)
		if (allowance) this.#allowance = allowance
		if (sentNs === 0n) return null
		const attempt = new Attempt(step, { mayBeFollowed: false, readsLater: allowance === null }, this)
		this.#attempt = attempt
		attempt.startNs = sentNs
		if (controller) attempt.onRequestStart(controller)
		this.#ownTime.sent(attempt)
		return attempt
	}

	/** The plan with the body as changed by hooks. Throws the Problem that refuses the call. */
	async #checkedByHooks(plan: CallPlan, body: CallBody): Promise<CallPlan> {
		const { requestId, headers } = this.#facts
		const call = { requestId, headers, draft: this.#asRow, plan, body }
		this.#hooks = CallHooks.of(this.#deps, call)
		if (this.#hooks) this.#plan = await this.#hooks.checkRequest(call)
		return this.#plan ?? plan
	}

	/** Ends the call from this side: refuses it, or ends a running stream with the provider's error event. */
	cut(problem: Problem): void {
		this.#conclude({ kind: 'refused', problem })
	}

	async #announce(): Promise<Intent> {
		const { calls } = this.#deps
		try {
			const facts = announcedFacts(this.#facts, this.#plan, this.#body)
			this.#intent = await calls.announce('model', this.#facts.workspaceId, facts)
			return this.#intent
		} catch (error) {
			this.#move('notAnnounced')
			this.#allowance.release()
			throw error
		}
	}

	/** Throws a Problem if the connection can no longer be used. */
	#send(planned: Step): void {
		const step = asItIsNow(planned, this.#deps.connections.find(this.#facts.workspaceId, planned.connection))
		const { more, rules } = this.#plan as CallPlan
		this.#attempts.addPassedOver(step)
		if (step.entry) this.#deps.noteUse(step.entry.id, step.entry.workspaceId)
		// The record's thread reads by the model that the caller named.
		const readsLater = !this.#hooks && !this.#allowance.counts && !more && step.model === null
		this.#attempt = new Attempt(step, { mayBeFollowed: more, readsLater }, this)
		this.#ownTime.sent(this.#attempt)
		this.#attempt.send(this.#deps, this.#request, rules.timeouts)
	}

	/** According to the key's policy, a call that has reached its provider is aborted there, or continues without a reader. */
	clientGone(): void {
		const { onDisconnect } = this.#facts
		const leave = () => this.#conclude({ kind: 'client_gone' })
		if (this.#state !== 'running' || onDisconnect === 'abort' || !this.#attempt?.running) leave()
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
		const added = [...this.#allowance.headers, 'server-timing', this.#ownTime.answered(attempt)]
		this.#way.begin(attempt, added, this.#hooks, this.#stored.atHead(attempt))
	}

	onPiece(chunk: Buffer, controller: Dispatcher.DispatchController): void {
		if (this.#state === 'running') this.#way.piece(chunk, controller)
	}

	/** Passes on only as much of an answer as its budgets have reserved. */
	onReading(controller: Dispatcher.DispatchController): void {
		if (this.#attempt) this.#stored.observe(this.#attempt)
		if (this.#askingForMore || this.#state !== 'running') return
		const decision = this.#allowance.progress(this.#attempt?.reader?.reading.generatedBytes ?? 0)
		if (decision === null) return
		this.#askingForMore = true
		const noStore = 'The control store does not respond, so no more of the budget could be reserved.'
		const settled = decision.catch(() => new Problem('store_unavailable', noStore))
		const decided = settled.then((problem) => {
			this.#askingForMore = false
			if (problem) this.cut(problem)
		})
		this.#way.holdUntil(decided, controller)
	}

	onOver(attempt: Attempt, failure: UpstreamFailure | null): void {
		if (this.#state !== 'running') return
		const decision = attempt.decision(failure)
		this.#wasSent ||= attempt.mayHaveRun
		if (this.#plan?.rules.route) this.#attempts.add(attempt, failure)
		const mayGoOn =
			!attempt.answers && !this.#unattended && (decision === 'again' || decision === 'elsewhere')
		const next = mayGoOn ? this.#plan?.next(decision, attempt.askedMs) : null
		if (next) this.#pause = setTimeout(() => void this.#goOn(attempt, failure, next.step), next.waitMs)
		else this.#endWith(attempt, failure)
	}

	/** Ends with what the last attempt brought. */
	#endWith(attempt: Attempt, failure: UpstreamFailure | null): void {
		if (failure) this.#conclude({ kind: 'failed', ...failure })
		else {
			attempt.answer()
			this.#way.end(() => this.#conclude({ kind: 'complete' }))
		}
	}

	/** Makes the next attempt, after reserving the price of its model. A target without room does not hide what the last one answered. */
	async #goOn(before: Attempt, failure: UpstreamFailure | null, step: Step): Promise<void> {
		this.#pause = null
		try {
			const isAdmitted = step === before.step || this.#allowance.isFree
			const admitted = isAdmitted ? step : await this.#allowance.admit(this.#plan as CallPlan, step)
			if (this.#state === 'running') this.#send(admitted)
			else this.#allowance.release()
		} catch (error) {
			const isBetween = error instanceof Problem && this.#attempt === before && this.#state === 'running'
			if (isBetween && error.status !== 402) return this.#endWith(before, failure)
			// A failed attempt costs nothing and has done nothing, so the client gets the refusal of a call that was not sent.
			if (isBetween) [this.#attempt, this.#wasSent] = [null, false]
			this.#cannotGoOn(error)
		}
	}

	#cannotGoOn(error: unknown): void {
		if (!(error instanceof Problem)) this.#warn(error, 'model call: it cannot go on')
		this.cut(error instanceof Problem ? error : new Problem('internal'))
	}

	#warn(error: unknown, text: string): void {
		this.#deps.log.error({ err: error, request_id: this.#facts.requestId }, text)
	}

	#conclude(ending: Ending): void {
		const before = this.#state
		if (!this.#move('end')) return
		this.#ending = ending
		this.#way.close()
		for (const timer of [this.#total, this.#pause]) clearTimeout(timer ?? undefined)
		this.#wasSent ||= this.#attempt?.mayHaveRun === true
		// Most clients of a stream leave at its last event, before the attempt is over.
		if (this.#attempt?.running && this.#plan?.rules.route)
			this.#attempts.add(this.#attempt, ending.kind === 'failed' ? ending : null)
		if (ending.kind !== 'complete') this.#attempt?.abort()
		// A call that is being announced is finished by `forward`.
		if (before === 'running') void this.#finish(this.#intent as Intent)
		else if (before === 'open') void this.#recordUnannounced(ending)
	}

	async #recordUnannounced(ending: Ending): Promise<void> {
		try {
			// Nothing was sent, so the record needs only some fields of the body.
			const facts = announcedFacts(this.#facts, this.#plan, this.#body, 0)
			await this.#finish(await this.#deps.calls.announce('model', this.#facts.workspaceId, facts))
		} catch (error) {
			// A full log must not prevent a refusal from being sent: nothing went upstream. That it takes nothing is logged elsewhere, once.
			if (!(error instanceof Problem)) this.#warn(error, 'model call: refusal not recorded')
			this.#tell(ending)
		}
	}

	async #finish(intent: Intent): Promise<void> {
		const ending = this.#ending as Ending
		const endNs = nowNs()
		try {
			await this.#attempt?.read()
			const stored = await this.#stored.end(this.#attempt, () => this.#withSession())
			const end = this.#endOfCall(ending, endNs, stored.deferred)
			if (!this.#attempt) this.#allowance.release()
			else if (this.#allowance.counts) {
				const row = provisionalRow(this.#asRow, end, this.#deps.priceCall)
				this.#allowance.settle(row, row.errorType)
			}
			await this.#deps.calls.conclude(intent, await endedFacts(end))
			if (stored.failure) throw stored.failure.error
			this.#tell(ending)
		} catch (error) {
			this.#warn(error, 'model call: the record is incomplete')
			this.#answer.destroy()
			this.#tell(ending)
		}
		this.#move('recorded')
		this.#unattended?.resolve()
	}

	/** The row for deferred work that the call began: with the session that its messages continue. */
	async #withSession(): Promise<SpanRow> {
		const row = this.#asRow
		const body = this.#body
		if (row.sessionId !== '' || !body?.json || this.step?.target.surface?.modelCall !== true) return row
		const facts = announcedFacts(this.#facts, this.#plan, body, Number.POSITIVE_INFINITY)
		return { ...row, sessionId: await this.#deps.sessionOf(facts) }
	}

	#endOfCall(ending: Ending, endNs: bigint, deferred: boolean): EndOfCall {
		const { step } = this
		const more: Parameters<typeof endFactsOf>[1] = {
			...{ deferred, sent: this.#wasSent },
			unattended: this.#unattended !== null,
			...{ route: this.#plan?.rules.route ?? '', attempts: this.#attempts.summaries },
			timing: this.#ownTime.timing,
			hooks: this.#hooks?.outcomes.json ?? '',
		}
		return {
			facts: endFactsOf({ startNs: this.#facts.startNs, endNs, ending, step, attempt: this.#attempt }, more),
			...{ step, body: this.#body, attempt: this.#attempt, answer: this.#answer },
			isHooked: this.#hooks !== null,
		}
	}

	/** Sends the end of the answer to the client, once it is recorded. */
	#tell(ending: Ending): void {
		if (ending.kind === 'complete') this.#answer.complete()
		if (!('problem' in ending)) return
		this.#answer.fail(problemForClient(ending, this.#wasSent), this.#provider)
		// Otherwise the rest of an unread body would keep the connection open.
		if (!this.#request.complete) this.#request.resume()
	}
}
