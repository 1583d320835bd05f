/**
 * What providers bill, each in its own unit. The dimensions are exclusive: a token is counted in one of them. `instead`
 * names the dimensions whose price holds where a model has none of its own (audio input is input, thinking is output);
 * `input` dimensions make up the length of the context, by which some prices rise.
 */
export const dimensions = {
	in_text: { input: true, instead: [] },
	in_audio: { input: true, instead: ['in_text'] },
	in_image: { input: true, instead: ['in_text'] },
	in_video: { input: true, instead: ['in_text'] },
	cache_read: { input: true, instead: ['in_text'] },
	cache_read_audio: { input: true, instead: ['cache_read', 'in_audio', 'in_text'] },
	cache_read_image: { input: true, instead: ['cache_read', 'in_image', 'in_text'] },
	cache_write_5m: { input: true, instead: ['in_text'] },
	cache_write_30m: { input: true, instead: ['cache_write_5m', 'in_text'] },
	cache_write_1h: { input: true, instead: ['cache_write_5m', 'in_text'] },
	cache_write_12h: { input: true, instead: ['cache_write_5m', 'in_text'] },
	tool_prompt: { input: true, instead: ['in_text'] },
	out_text: { input: false, instead: [] },
	out_reasoning: { input: false, instead: ['out_text'] },
	out_audio: { input: false, instead: ['out_text'] },
	out_image: { input: false, instead: ['out_text'] },
	out_video: { input: false, instead: ['out_text'] },
	out_citation: { input: false, instead: ['out_text'] },
	pred_rejected: { input: false, instead: ['out_text'] },
	request: { input: false, instead: [] },
	web_search: { input: false, instead: [] },
	web_fetch: { input: false, instead: [] },
	grounding_query: { input: false, instead: ['web_search'] },
	file_search: { input: false, instead: [] },
	code_exec_s: { input: false, instead: [] },
	image_count: { input: false, instead: [] },
	audio_s: { input: false, instead: [] },
	cache_storage_token_hours: { input: false, instead: [] },
} as const satisfies Record<string, { input: boolean; instead: readonly string[] }>

export type Dimension = keyof typeof dimensions

export const dimensionNames = Object.keys(dimensions) as Dimension[]

/** Whether the dimension is counted in tokens. */
export function isTokens(dimension: Dimension): boolean {
	return dimensions[dimension].input || dimension.startsWith('out_') || dimension === 'pred_rejected'
}
