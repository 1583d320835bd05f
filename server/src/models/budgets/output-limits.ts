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

/** Null where nobody knows. */
export function outputLimitOf(model: string): number | null {
	const name = model.toLowerCase().replace(prefix, '')
	return limits.find(([start]) => name.startsWith(start))?.[1] ?? null
}
