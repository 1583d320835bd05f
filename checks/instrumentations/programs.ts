/** What a program does in one run, no matter how it is recorded. */
export interface Done {
	/** Number of model calls. */
	models: number
	/** Cost of these calls in nano-dollars. */
	costNanoUsd: string
	tools: number
}

export interface InstrumentedProgram {
	language: 'python' | 'js'
	/** The argument of `python/program.py` or `js/program.mjs`. */
	kind: string
	packages: readonly string[]
	done: Done
	/** How many of these calls are missing in its own spans. */
	unseen: { models: number; tools: number }
	/** Where it names session and user: in its spans or, if its spans cannot contain them, in headers of its calls. */
	names: 'spans' | 'headers'
}

/** Six GPT calls with cached input tokens, two Claude calls and one embedding. */
const nine: Done = { models: 9, costNanoUsd: '26840140', tools: 1 }
const withoutClaude: Done = { models: 7, costNanoUsd: '17040140', tools: 1 }
const fiveOfGpt: Done = { models: 5, costNanoUsd: '14200000', tools: 1 }
const all = { models: 0, tools: 0 }
const inSpans = { done: nine, names: 'spans', unseen: all } as const

const python = (kind: string, packages: string[]) => ({ language: 'python' as const, kind, packages })
const js = (kind: string, packages: string[]) => ({ language: 'js' as const, kind, packages })
const clients = ['openai==3.54.0', 'anthropic==2.12.0']
const otel = ['opentelemetry-exporter-otlp-proto-http==1.45.2']
const jsClients = ['openai@6.49.0', '@anthropic-ai/sdk@1.12.0']
const jsOtel = [
	...['@opentelemetry/api@1.10.0', '@opentelemetry/sdk-trace-node@2.12.0', '@opentelemetry/resources@2.12.1'],
	...['@opentelemetry/exporter-trace-otlp-proto@0.223.1', '@opentelemetry/instrumentation@0.223.0'],
]

export const instrumentedPrograms: readonly InstrumentedProgram[] = [
	{
		...python('openinference', [
			...[...clients, ...otel, 'openinference-instrumentation-openai==0.1.66'],
			'openinference-instrumentation-anthropic==3.1.0',
		]),
		...inSpans,
	},
	...['3.15.0', '5.0.4'].map((version) => ({
		...python(`langfuse${version[0]}`, [
			...[...clients, `langfuse==${version}`, 'opentelemetry-instrumentation-anthropic==0.62.4'],
		]),
		...inSpans,
	})),
	{ ...python('logfire', [...clients, 'logfire==5.2.0']), ...inSpans },
	// The SDK imports httpx without naming it, and these clients no longer bring it.
	{ ...python('traceloop', [...clients, 'traceloop-sdk==0.62.4', 'httpx==0.28.1']), ...inSpans },
	{
		...python('openlit', ['openai==2.54.0', 'anthropic==0.125.0', 'openlit==1.45.0']),
		...{ done: nine, names: 'headers', unseen: { models: 0, tools: 1 } },
	},
	{
		...python('agents', [
			...['openai-agents==0.24.0', 'openinference-instrumentation-openai-agents==2.6.0', ...otel],
		]),
		...{ done: fiveOfGpt, names: 'spans', unseen: all },
	},
	{
		...js('openinference', [
			...[...jsClients, ...jsOtel, '@arizeai/openinference-instrumentation-openai@4.2.7'],
			'@arizeai/openinference-instrumentation-anthropic@0.2.8',
		]),
		...inSpans,
	},
	{
		...js('langfuse5', [
			...['openai@6.49.0', '@langfuse/openai@5.11.1', '@langfuse/otel@5.11.1', '@langfuse/tracing@5.11.1'],
			'@opentelemetry/sdk-node@0.223.0',
		]),
		...{ done: withoutClaude, names: 'spans', unseen: all },
	},
	{
		...js('traceloop', ['openai@6.49.0', '@traceloop/node-server-sdk@0.27.0']),
		...{ done: withoutClaude, names: 'spans', unseen: { models: 1, tools: 0 } },
	},
	{
		...js('openlit', [...jsClients, 'openlit@1.15.0']),
		done: nine,
		names: 'headers',
		unseen: { models: 0, tools: 1 },
	},
	{
		...js('ai5', [
			...jsOtel,
			'ai@5.0.277',
			'@ai-sdk/openai@2.0.131',
			'@ai-sdk/anthropic@2.0.112',
			'zod@4.6.7',
		]),
		...inSpans,
	},
	{
		...js('ai6', [
			...jsOtel,
			'ai@6.0.326',
			'@ai-sdk/openai@3.0.141',
			'@ai-sdk/anthropic@3.0.139',
			'zod@4.6.7',
		]),
		...inSpans,
	},
	{
		...js('agents', [
			...[...jsOtel, '@openai/agents@0.20.0', 'zod@4.6.7'],
			...['openai@6.49.0', '@arizeai/openinference-instrumentation-openai-agents@0.2.15'],
		]),
		...{ done: fiveOfGpt, names: 'headers', unseen: all },
	},
]
