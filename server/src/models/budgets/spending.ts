import type { Dimension, UsageLine } from '../../ledger/ledger.ts'
import { Problem } from '../../platform/errors.ts'
import type { Account } from './account.ts'
import { type Budget, type Spender, scopeKeyOf } from './budget.ts'
import type { BudgetContext } from './budget-context.ts'
import type { BudgetLeases } from './budget-leases.ts'
import type { BudgetView } from './budget-view.ts'
import { type CallOutcome, costIn, exhausted, Hold, type Part, unpriced } from './hold.ts'

/** Estimates for calls before they are made, learned from earlier calls. Integers; bounded in memory. */

/** Without samples: half a token per byte, which is more than text has in most languages. */
const firstTokensPerMille = 500
/** Without samples and without a limit of the caller or the model. */
const firstOutputTokens = 4096
/** Adds a quarter to the largest of the last calls. */
const withMargin = (tokens: number) => tokens + Math.ceil(tokens / 4)

const remembered = 4096
const samplesOfKind = 64
const enoughSamples = 8

/** The last values of a kind, and the maximum. */
class Samples {
	readonly #values: number[] = []
	#next = 0
	#largest = 0

	/** Null if there are too few samples. */
	get largest(): number | null {
		return this.#values.length >= enoughSamples ? this.#largest : null
	}

	note(value: number): void {
		const replaced = this.#values[this.#next]
		this.#values[this.#next] = value
		this.#next = (this.#next + 1) % samplesOfKind
		if (value >= this.#largest) this.#largest = value
		else if (replaced === this.#largest) this.#largest = Math.max(...this.#values)
	}
}

/** Estimates of the tokens that a call may need: input by the size of the request, output by earlier answers. */
export class Estimates {
	readonly #input = new Map<string, Samples>()
	readonly #output = new Map<string, Samples>()

	/** Upper estimate of the tokens in a body of this size. */
	inputTokens(connection: string, model: string, bytes: number): number {
		const perMille = this.#input.get(`${connection} ${model}`)?.largest ?? null
		return Math.ceil((bytes * (perMille === null ? firstTokensPerMille : withMargin(perMille))) / 1000)
	}

	/**
	 * The output tokens to reserve: the caller's own limit, otherwise the `longest` answer of the model, or less if answers were
	 * always shorter.
	 */
	outputTokens(keyId: string, model: string, limit: number | null, longest: number | null = null): number {
		const learned = this.#output.get(`${keyId} ${model}`)?.largest ?? null
		const expected = learned === null ? (limit ?? longest ?? firstOutputTokens) : withMargin(learned)
		return limit === null ? expected : Math.min(limit, expected)
	}

	/** Learns from a call whose tokens the provider reported. */
	learn(call: {
		connection: string
		keyId: string
		model: string
		requestBytes: number
		inputTokens: number
		outputTokens: number
	}): void {
		if (call.requestBytes > 0) {
			const perMille = Math.ceil((call.inputTokens * 1000) / call.requestBytes)
			note(this.#input, `${call.connection} ${call.model}`, perMille)
		}
		note(this.#output, `${call.keyId} ${call.model}`, call.outputTokens)
	}
}

function note(all: Map<string, Samples>, name: string, value: number): void {
	let samples = all.get(name)
	if (!samples) {
		if (all.size >= remembered) all.delete(all.keys().next().value as string)
		samples = new Samples()
		all.set(name, samples)
	}
	samples.note(value)
}

/** A model call before it is sent. */
export interface CallToPay extends PlannedCall, Spender {
	requestBytes: number
	/** The caller's limit of output tokens; null if it has none. */
	outputLimit: number | null
	/** A stream is paid for as it grows; for a whole answer everything must be reserved first. */
	streamed: boolean
}

/** Reserves the price of a call in every budget that counts it, before the call is sent. */
export class Spending {
	readonly #context: BudgetContext
	readonly #view: BudgetView
	readonly #leases: BudgetLeases
	readonly #estimates = new Estimates()

	constructor(context: BudgetContext, view: BudgetView, leases: BudgetLeases) {
		this.#context = context
		this.#view = view
		this.#leases = leases
	}

	/**
	 * Reserves what a call may cost, at once if the amounts lent to this process suffice. Null if no budget counts it. Throws
	 * Problem 402 if a hard budget does not have enough left, or the model has no price.
	 */
	hold(call: CallToPay): Hold | null | Promise<Hold | null> {
		const budgets = this.#view.of(call.workspaceId)
		if (budgets.length === 0) return null
		const plans = this.#planAll(budgets, call)
		return plans.length === 0 ? null : this.#holdAll(call, plans)
	}

	/** Whether a workspace has budgets at all. */
	concerns(workspaceId: string): boolean {
		return this.#view.of(workspaceId).length > 0
	}

	/** Whether any budget counts the calls of this spender. */
	counts(call: CallToPay): boolean {
		return this.#accountsOf(call).length > 0
	}

	/** An upper estimate of the input and output tokens of a call. */
	tokensOf({ connection, model, keyId, requestBytes, outputLimit }: CallToPay): number {
		const input = this.#estimates.inputTokens(connection, model, requestBytes)
		return input + this.#estimates.outputTokens(keyId, model, outputLimit)
	}

	/** Learns from a call without a hold. A hold does this by itself. */
	learn({ connection, keyId, model, requestBytes }: CallToPay, { tokens, reported }: CallOutcome): void {
		if (!tokens || !reported) return
		const { input: inputTokens, output: outputTokens } = tokens
		this.#estimates.learn({ connection, keyId, model, requestBytes, inputTokens, outputTokens })
	}

	/** Counts the cost of a call for which nothing was reserved. */
	charge(spender: Spender & { workspaceId: string }, outcome: CallOutcome): void {
		for (const account of this.#accountsOf(spender)) account.settle(0, costIn(account, 0, outcome))
	}

	/**
	 * Throws Problem 402 if a hard budget has nothing left, so that work that is paid for later is not started. Reserves nothing.
	 */
	async requireRoom(call: CallToPay): Promise<void> {
		const hard = this.#accountsOf(call).filter(({ budget }) => budget.hard)
		const parts = hard.map((account) => ({ account, reserved: 1, reservedForOutput: 0, perThousand: 0 }))
		if (parts.length > 0) (await this.#holdAll(call, parts)).release()
	}

	#accountsOf(spender: Spender & { workspaceId: string }): Account[] {
		return this.#view.of(spender.workspaceId).flatMap((budget) => {
			const scopeKey = scopeKeyOf(budget, spender)
			return scopeKey === null ? [] : [this.#leases.accountOf(budget, scopeKey)]
		})
	}

	#planAll(budgets: readonly Budget[], call: CallToPay): Part[] {
		const { connection, model, keyId } = call
		const input = this.#estimates.inputTokens(connection, model, call.requestBytes)
		const longest = call.streamed ? null : outputLimitOf(model)
		const output = this.#estimates.outputTokens(keyId, model, call.outputLimit, longest)
		// Computed once, however many budgets count the call.
		let costs: Amounts | null | undefined
		const parts: Part[] = []
		for (const budget of budgets) {
			const scopeKey = scopeKeyOf(budget, call)
			if (scopeKey === null) continue
			const account = this.#leases.accountOf(budget, scopeKey)
			if (budget.unit === 'tokens') {
				parts.push({ account, reserved: input + output, reservedForOutput: output, perThousand: 1000 })
				continue
			}
			if (costs === undefined) costs = boundOfCost(this.#context, call, input, output)
			const { whole, output: forOutput, perThousand } = costs ?? amountsOfUnpriced(budget, call.model)
			parts.push({ account, reserved: whole, reservedForOutput: forOutput, perThousand })
		}
		return parts
	}

	#holdAll(call: CallToPay, plans: readonly Part[]): Hold | Promise<Hold> {
		for (const { account } of plans) account.enter()
		for (const [at, { account, reserved }] of plans.entries()) {
			const held = this.#leases.reserve(account, reserved)
			if (held !== true) return this.#holdRest(call, plans, at, held)
		}
		return this.#holdOf(call, plans)
	}

	/** Continues from the first part that could not be reserved at once. */
	async #holdRest(
		call: CallToPay,
		plans: readonly Part[],
		from: number,
		first: boolean | Promise<boolean>,
	): Promise<Hold> {
		let held = first
		for (let at = from; ; ) {
			const got = await this.#sure(held, plans, at)
			if (!got) throw this.#refuse(call, plans, at)
			at += 1
			const next = plans[at]
			if (!next) return this.#holdOf(call, plans)
			held = this.#leases.reserve(next.account, next.reserved)
		}
	}

	/** A failing store does not mean that the budget refuses, but the call must not be sent. */
	async #sure(held: boolean | Promise<boolean>, plans: readonly Part[], at: number): Promise<boolean> {
		try {
			return await held
		} catch (cause) {
			giveBack(plans, at)
			const detail = 'The remaining amount of the budget could not be read.'
			throw new Problem('store_unavailable', detail, { retryAfterS: 1, cause })
		}
	}

	#refuse({ outputLimit }: CallToPay, plans: readonly Part[], at: number): Problem {
		giveBack(plans, at)
		const { account, reserved } = plans[at] as Part
		return exhausted(account, reserved, outputLimit === null)
	}

	#holdOf(call: CallToPay, parts: readonly Part[]): Hold {
		return new Hold(this.#leases, parts, (outcome) => this.learn(call, outcome))
	}
}

/** Releases the reservations before the part at `at`. */
function giveBack(plans: readonly Part[], at: number): void {
	for (const { account, reserved } of plans.slice(0, at)) account.settle(reserved, 0)
	for (const { account } of plans) account.leave()
}

/** Throws Problem 402 if the budget allows priced models only. */
function amountsOfUnpriced(budget: Budget, model: string): Amounts {
	if (budget.unpriced === 'deny') throw unpriced(budget, model)
	return { whole: budget.unpriced === 'ceiling' ? budget.unpricedCeiling : 0, output: 0, perThousand: 0 }
}

/** A call whose price is estimated. */
interface PlannedCall {
	workspaceId: string
	connection: string
	provider: string
	/** As in `PriceQuery`. */
	kind?: string
	model: string
	startNs: bigint
}

/** The amounts that a call may take of a budget. */
interface Amounts {
	whole: number
	/** The part for the output. */
	output: number
	/** The amount for a thousand output tokens. */
	perThousand: number
}

/** Upper bounds of the cost of input and output tokens; null if the model has no price. */
function boundOfCost(
	{ priceCall }: Pick<BudgetContext, 'priceCall'>,
	call: PlannedCall,
	inputTokens: number,
	outputTokens: number,
): Amounts | null {
	// It is unknown how much of the input will be written to a cache, which costs more, so the most expensive alternative counts.
	// Each has an iteration of its own, because prices rise with the input of one.
	const lines = [
		line('out_text', outputTokens, 0),
		line('in_text', inputTokens, 0),
		line('cache_write_5m', inputTokens, 1),
		line('cache_write_1h', inputTokens, 2),
		line('out_text', 1000, 0),
	].filter(({ quantity }) => quantity > 0)
	const { costNanoUsd, ledger } = priceCall({ ...call, lines })
	if (costNanoUsd === null) return null
	const costs = ledger.map((entry) => Number(entry.costNanoUsd))
	const perThousand = costs.pop() ?? 0
	const output = outputTokens > 0 ? (costs.shift() ?? 0) : 0
	return { whole: output + Math.max(0, ...costs), output, perThousand }
}

function line(dimension: Dimension, quantity: number, iteration: number): UsageLine {
	return { dimension, quantity, iteration, model: '' }
}

/**
 * The longest answers of models in tokens, as published by their providers, by prefix of the model's name. The first match
 * counts. A model that is not listed has no known limit.
 */
const limits: readonly (readonly [start: string, tokens: number])[] = [
	['gpt-5', 128_000],
	['gpt-4.1', 32_768],
	['gpt-4o', 16_384],
	['gpt-4-turbo', 4_096],
	['gpt-4', 8_192],
	['gpt-3.5', 4_096],
	['o1-mini', 65_536],
	['o1', 100_000],
	['o3', 100_000],
	['o4', 100_000],
	['claude-3-5', 8_192],
	['claude-3-7', 128_000],
	['claude-3', 4_096],
	['claude-opus-4-1', 32_000],
	['claude-opus-4-2', 32_000],
	['claude-opus-4-0', 32_000],
	['claude-opus-4', 64_000],
	['claude-sonnet-4', 64_000],
	['claude-haiku-4', 64_000],
	['claude-', 128_000],
	['gemini-1.5', 8_192],
	['gemini-2.0', 8_192],
	['gemini-', 65_536],
	['nova-', 10_000],
	['titan-text', 8_192],
]

/** The prefix of a model's own name on Bedrock and in gateways: `eu.anthropic.`, `openai/`. */
const prefix =
	/^(?:.*\/)?(?:(?:us|eu|apac|jp|au|global)\.)?(?:(?:anthropic|amazon|meta|mistral|cohere|ai21)\.)?/

/** A cache by the names in calls, which are few and repeat. */
const limitsFound = new Map<string, number | null>()

/** Null if unknown. */
export function outputLimitOf(model: string): number | null {
	let found = limitsFound.get(model)
	if (found === undefined) {
		const name = model.toLowerCase().replace(prefix, '')
		found = limits.find(([start]) => name.startsWith(start))?.[1] ?? null
		if (limitsFound.size >= remembered) limitsFound.clear()
		limitsFound.set(model, found)
	}
	return found
}
