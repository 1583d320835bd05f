import { linesOf, type Usage, type UsageLine } from '../../../../ledger/index.ts'
import { countOr0, countOrNull, type Fields, fieldsIn, sumOf, textOr } from '../wire-values.ts'

/** What plain output tokens are: text, or images where that is what a surface makes. */
export type PlainOutput = 'out_text' | 'out_image'

/**
 * The usage object of chat completions, embeddings, responses, images and audio as billed quantities. Cached, cache-written,
 * audio and image tokens are parts of the prompt; reasoning, audio, images and rejected predictions are parts of the
 * completion. Null when there are no figures.
 */
export function readUsage(value: unknown, plain: PlainOutput = 'out_text'): Usage | null {
	const usage = fieldsIn(value)
	if (!usage) return null
	if (usage.type === 'duration') return readDuration(usage)
	const prompt = countOrNull(usage.prompt_tokens) ?? countOrNull(usage.input_tokens)
	const completion = countOrNull(usage.completion_tokens) ?? countOrNull(usage.output_tokens)
	if (prompt === null && completion === null) return null
	const input = readInput(
		detailsOf(usage, ['prompt_tokens_details', 'input_tokens_details', 'input_token_details']),
	)
	const details = detailsOf(usage, [
		'completion_tokens_details',
		'output_tokens_details',
		'output_token_details',
	])
	const output = readOutput(details)
	if (plain === 'out_image') output.out_image = Math.max(0, (completion ?? 0) - countOr0(details.text_tokens))
	const in_text = (prompt ?? 0) - sumOf(input)
	const out_text = (completion ?? 0) - sumOf(output)
	return {
		lines: linesOf({ in_text, ...input, out_text, ...output }),
		inconsistent: in_text < 0 || out_text < 0,
	}
}

/** Transcriptions of some models are billed by the second. */
function readDuration({ seconds }: Fields): Usage | null {
	if (typeof seconds !== 'number' || !(seconds >= 0)) return null
	return { lines: linesOf({ audio_s: Math.ceil(seconds) }), inconsistent: false }
}

/** What tools of a response used beside its model: searches, and images of a model of their own. */
export function readToolUsage(value: unknown): readonly UsageLine[] {
	const tools = fieldsIn(value)
	const image = fieldsIn(tools?.image_gen)
	const searches = countOr0(fieldsIn(tools?.web_search)?.num_requests)
	const images = readUsage(image, 'out_image')?.lines ?? []
	const model = textOr(image?.model, 'image_generation')
	return [...linesOf({ web_search: searches }), ...images.map((line) => ({ ...line, iteration: 1, model }))]
}

function detailsOf(usage: Fields, names: readonly string[]): Fields {
	for (const name of names) {
		const details = fieldsIn(usage[name])
		if (details) return details
	}
	return {}
}

/** Realtime and some audio models say of what kind the cached tokens are. */
function readInput(parts: Fields) {
	const cached = fieldsIn(parts.cached_tokens_details)
	const cachedAudio = countOr0(cached?.audio_tokens)
	const cachedImage = countOr0(cached?.image_tokens)
	const written = countOr0(parts.cache_write_tokens)
	const longLived = countOr0(fieldsIn(parts.cache_write_tokens_details)?.ttl_12h_tokens)
	return {
		cache_read: Math.max(0, countOr0(parts.cached_tokens) - cachedAudio - cachedImage),
		cache_read_audio: cachedAudio,
		cache_read_image: cachedImage,
		cache_write_30m: Math.max(0, written - longLived),
		cache_write_12h: longLived,
		in_audio: Math.max(0, countOr0(parts.audio_tokens) - cachedAudio),
		in_image: Math.max(0, countOr0(parts.image_tokens) - cachedImage),
	}
}

function readOutput(parts: Fields) {
	return {
		out_reasoning: countOr0(parts.reasoning_tokens),
		out_audio: countOr0(parts.audio_tokens),
		out_image: countOr0(parts.image_tokens),
		pred_rejected: countOr0(parts.rejected_prediction_tokens),
	}
}
