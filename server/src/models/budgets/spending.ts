import type { Dimension, UsageLine } from '../../ledger/ledger.ts'
import { Problem } from '../../platform/errors.ts'
import type { Account } from './account.ts'
import { type Budget, type Spender, scopeKeyOf } from './budget.ts'
import type { BudgetContext } from './budget-context.ts'
import type { BudgetLeases } from './budget-leases.ts'
import type { BudgetView } from './budget-view.ts'
import { type CallOutcome, costIn, exhausted, Hold, type Part, unpriced } from './hold.ts'

/** What is known of calls before they are made, learned from those that were. Integers; bounded in memory. */

/** Without any experience: half a token for each byte is more than text has in most languages. */
const firstTokensPerMille = 500
/** Without any experience, and without a limit of the caller's own or the model's. */
const firstOutputTokens = 4096
/** A call may take a quarter more than the largest of the last calls. */
const withMargin = (tokens: number) => tokens + Math.ceil(tokens / 4)

const remembered = 4096
const samplesOfKind = 64
const enoughSamples = 8

/** The last values of a kind, and the largest of them. */
class Samples {
	readonly #values: number[] = []
	#next = 0
	#largest = 0

	/** Null: too few to go by. */
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

/** Bounds of tokens that a call may need: its input by its bytes, its output by what came before. */
export class Estimates {
	readonly #input = new Map<string, Samples>()
	readonly #output = new Map<string, Samples>()

	/** Tokens that a body of so many bytes will not exceed. */
	inputTokens(connection: string, model: string, bytes: number): number {
		const perMille = this.#input.get(`${connection} ${model}`)?.largest ?? null
		return Math.ceil((bytes * (perMille === null ? firstTokensPerMille : withMargin(perMille))) / 1000)
	}

	/**
	 * Tokens that an answer is held for: the caller's own limit, else the `longest` that the model writes, or less where
	 * answers were always shorter.
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

/** A model call before it is made. */
export interface CallToPay extends PlannedCall, Spender {
	requestBytes: number
	/** The most tokens of output that the caller asked for; null where it did not say. */
	outputLimit: number | null
	/** A stream is paid piece by piece, a whole answer must be held for. */
	streamed: boolean
}

/** What calls may spend: every budget that counts a call holds its price before it is made. */
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
	 * Holds what a call may cost, at once where the amounts lent to this process suffice. Null: no budget counts it.
	 * Throws Problem 402: a hard budget has not so much left, or the model has no price.
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

	/** Tokens of input and output that a call will hardly exceed. */
	tokensOf({ connection, model, keyId, requestBytes, outputLimit }: CallToPay): number {
		const input = this.#estimates.inputTokens(connection, model, requestBytes)
		return input + this.#estimates.outputTokens(keyId, model, outputLimit)
	}

	/** Learns from a call that no budget held anything for; a hold does it by itself. */
	learn({ connection, keyId, model, requestBytes }: CallToPay, { tokens, reported }: CallOutcome): void {
		if (!tokens || !reported) return
		const { input: inputTokens, output: outputTokens } = tokens
		this.#estimates.learn({ connection, keyId, model, requestBytes, inputTokens, outputTokens })
	}

	/** Counts what a call came to that nothing was held for. */
	charge(spender: Spender & { workspaceId: string }, outcome: CallOutcome): void {
		for (const account of this.#accountsOf(spender)) account.settle(0, costIn(account, 0, outcome))
	}

	/** Throws Problem 402 where a hard budget has nothing left: what is paid later is not begun then. Holds nothing. */
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
		// Asked for once, however many budgets count the call.
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

	/** From the first part on that could not be held at once. */
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

	/** A store that does not answer is no refusal of the budget, but the call must not pass. */
	async #sure(held: boolean | Promise<boolean>, plans: readonly Part[], at: number): Promise<boolean> {
		try {
			return await held
		} catch (cause) {
			giveBack(plans, at)
			const detail = 'What the budget has left could not be read.'
			throw new Problem('store_unavailable', detail, { retryAfterS: 1, cause })
		}
	}

	#refuse({ outputLimit }: CallToPay, plans: readonly Part[], at: number): Problem {
		giveBack(plans, at)
		const { account, reserved } = plans[at] as Part
		return exhausted(account, reserved, this.#context.clock.nowMs(), outputLimit === null)
	}

	#holdOf(call: CallToPay, parts: readonly Part[]): Hold {
		return new Hold(this.#leases, parts, (outcome) => this.learn(call, outcome))
	}
}

/** Ends what was held before the part at `at`. */
function giveBack(plans: readonly Part[], at: number): void {
	for (const { account, reserved } of plans.slice(0, at)) account.settle(reserved, 0)
	for (const { account } of plans) account.leave()
}

/** Throws Problem 402 where the budget lets only priced models pass. */
function amountsOfUnpriced(budget: Budget, model: string): Amounts {
	if (budget.unpriced === 'deny') throw unpriced(budget, model)
	return { whole: budget.unpriced === 'ceiling' ? budget.unpricedCeiling : 0, output: 0, perThousand: 0 }
}

/** A call that asks for money. */
interface PlannedCall {
	workspaceId: string
	connection: string
	provider: string
	model: string
	startNs: bigint
}

/** What a call may take of a budget. */
interface Amounts {
	whole: number
	/** Of the output alone. */
	output: number
	/** Of a thousand tokens of output. */
	perThousand: number
}

/** What tokens of input and output may cost; null: the model has no price. */
function boundOfCost(
	{ priceCall }: Pick<BudgetContext, 'priceCall'>,
	call: PlannedCall,
	inputTokens: number,
	outputTokens: number,
): Amounts | null {
	// Nobody knows yet how much of the input will be written to a cache, which costs more: the dearest counts. Each stands in
	// an iteration of its own, since prices rise with the input of one.
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
 * The most tokens that models write in one answer, by the beginnings of their names: the first that fits counts. As their
 * providers publish it; a model that is not here has no known limit.
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

/** What stands before a model's own name in those of Bedrock and of gateways: `eu.anthropic.`, `openai/`. */
const prefix =
	/^(?:.*\/)?(?:(?:us|eu|apac|jp|au|global)\.)?(?:(?:anthropic|amazon|meta|mistral|cohere|ai21)\.)?/

/** By the names that calls ask for, which are few and always the same. */
const limitsFound = new Map<string, number | null>()

/** Null where nobody knows. */
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
