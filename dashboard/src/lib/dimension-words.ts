const words: Readonly<Record<string, string>> = {
	in_text: 'Input',
	out_text: 'Output',
	out_reasoning: 'Reasoning',
	cache_write_5m: 'Cache write, 5 minutes',
	cache_write_30m: 'Cache write, 30 minutes',
	cache_write_1h: 'Cache write, 1 hour',
	cache_write_12h: 'Cache write, 12 hours',
	pred_rejected: 'Rejected prediction',
	code_exec_s: 'Code execution, seconds',
	audio_s: 'Audio, seconds',
	cache_storage_token_hours: 'Cache storage, token hours',
	reported_cost: 'Cost as reported, nano-dollars',
}

/** A billing dimension in words: `in_text` is `Input`, `cache_read` is `Cache read`. */
export function describeDimension(dimension: string): string {
	const plain = dimension.replace(/^in_/, 'input_').replace(/^out_/, 'output_').replaceAll('_', ' ')
	return words[dimension] ?? plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** The workspace's own price has its id and its first day in the ledger, which say nothing to a reader. */
export function describePrice(price: string | null): string {
	if (price === null) return '–'
	const own = /^operator \S+ (.+) \S+$/.exec(price)
	return own ? `own price for ${own[1]}` : price
}
