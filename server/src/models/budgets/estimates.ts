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

interface Samples {
	values: number[]
	next: number
}

/** Bounds of tokens that a call may need: its input by its bytes, its output by what came before. */
export class Estimates {
	readonly #input = new Map<string, Samples>()
	readonly #output = new Map<string, Samples>()

	/** Tokens that a body of so many bytes will not exceed. */
	inputTokens(connection: string, model: string, bytes: number): number {
		const perMille = largest(this.#input.get(`${connection} ${model}`))
		return Math.ceil((bytes * (perMille === null ? firstTokensPerMille : withMargin(perMille))) / 1000)
	}

	/**
	 * Tokens that an answer is held for: the caller's own limit, else the `longest` that the model writes, or less where
	 * answers were always shorter.
	 */
	outputTokens(keyId: string, model: string, limit: number | null, longest: number | null = null): number {
		const learned = largest(this.#output.get(`${keyId} ${model}`))
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

function largest(samples: Samples | undefined): number | null {
	return samples && samples.values.length >= enoughSamples ? Math.max(...samples.values) : null
}

function note(all: Map<string, Samples>, name: string, value: number): void {
	let samples = all.get(name)
	if (!samples) {
		if (all.size >= remembered) all.delete(all.keys().next().value as string)
		samples = { values: [], next: 0 }
		all.set(name, samples)
	}
	samples.values[samples.next] = value
	samples.next = (samples.next + 1) % samplesOfKind
}
