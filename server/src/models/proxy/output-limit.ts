import { fieldsIn } from './providers/wire-values.ts'

/** Fields of a body in which callers limit the length of an answer, those of all dialects. */
const limits = [
	...['max_completion_tokens', 'max_output_tokens', 'max_tokens', 'max_tokens_to_sample', 'max_gen_len'],
] as const
/** Objects in which other dialects have them: Gemini, Converse and Nova, Titan, models of others on Vertex AI. */
const settings = [
	'generationConfig',
	'generation_config',
	'inferenceConfig',
	'textGenerationConfig',
	'parameters',
]
const limitsInSettings = [
	...['maxOutputTokens', 'max_output_tokens', 'maxTokens', 'max_new_tokens', 'maxTokenCount'],
]
/** How many answers are asked for at once. */
const times = ['n', 'candidateCount', 'candidate_count', 'sampleCount']

export const outputLimitFields: readonly string[] = [...limits, ...settings, 'n']

/** The most tokens of output that a body asks for, all answers together; null where it does not say. */
export function outputLimitIn(body: ReadonlyMap<string, unknown> | undefined): number | null {
	const nested = settings.map((name) => fieldsIn(body?.get(name)) ?? {})
	const inNested = (names: readonly string[]) => nested.flatMap((one) => names.map((name) => one[name]))
	const asked = [...limits.map((name) => body?.get(name)), ...inNested(limitsInSettings)].filter(isCount)
	if (asked.length === 0) return null
	const answers = [body?.get('n'), ...inNested(times)].filter(isCount)
	return Math.max(...asked) * Math.max(1, ...answers)
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < 1e9
}
