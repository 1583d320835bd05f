/**
 * What providers bill, each in its own unit. The dimensions are exclusive: a token is counted in one of them. `bucket` is the
 * column that shows it, null if it is not counted in tokens. `instead` names the dimensions whose price applies if a model has
 * none for this one: audio input is input, thinking is output.
 */
export const dimensions = {
	in_text: { bucket: 'inputTokens', instead: [] },
	in_audio: { bucket: 'inputTokens', instead: ['in_text'] },
	in_image: { bucket: 'inputTokens', instead: ['in_text'] },
	in_video: { bucket: 'inputTokens', instead: ['in_text'] },
	cache_read: { bucket: 'cacheReadTokens', instead: ['in_text'] },
	cache_read_audio: { bucket: 'cacheReadTokens', instead: ['cache_read', 'in_audio', 'in_text'] },
	cache_read_image: { bucket: 'cacheReadTokens', instead: ['cache_read', 'in_image', 'in_text'] },
	cache_write_5m: { bucket: 'cacheWriteTokens', instead: ['in_text'] },
	cache_write_30m: { bucket: 'cacheWriteTokens', instead: ['cache_write_5m', 'in_text'] },
	cache_write_1h: { bucket: 'cacheWriteTokens', instead: ['cache_write_5m', 'in_text'] },
	cache_write_12h: { bucket: 'cacheWriteTokens', instead: ['cache_write_5m', 'in_text'] },
	tool_prompt: { bucket: 'inputTokens', instead: ['in_text'] },
	out_text: { bucket: 'outputTokens', instead: [] },
	out_reasoning: { bucket: 'reasoningTokens', instead: ['out_text'] },
	out_audio: { bucket: 'outputTokens', instead: ['out_text'] },
	out_image: { bucket: 'outputTokens', instead: ['out_text'] },
	out_video: { bucket: 'outputTokens', instead: ['out_text'] },
	out_citation: { bucket: 'outputTokens', instead: ['out_text'] },
	pred_rejected: { bucket: 'outputTokens', instead: ['out_text'] },
	request: { bucket: null, instead: [] },
	web_search: { bucket: null, instead: [] },
	web_fetch: { bucket: null, instead: [] },
	grounding_query: { bucket: null, instead: ['web_search'] },
	file_search: { bucket: null, instead: [] },
	code_exec_s: { bucket: null, instead: [] },
	image_count: { bucket: null, instead: [] },
	audio_s: { bucket: null, instead: [] },
	cache_storage_token_hours: { bucket: null, instead: [] },
	/** The cost that the provider itself reports, in nano-dollars. */
	reported_cost: { bucket: null, instead: [] },
} as const satisfies Record<string, { bucket: string | null; instead: readonly string[] }>

export type Dimension = keyof typeof dimensions

const ofContext: ReadonlySet<string | null> = new Set(['inputTokens', 'cacheReadTokens', 'cacheWriteTokens'])

/** Whether the dimension is part of the model's context: some prices depend on its length. */
export function isContext(dimension: Dimension): boolean {
	return ofContext.has(dimensions[dimension].bucket)
}
