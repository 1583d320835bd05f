// Makes nine model calls and a tool call, reported by one of the instrumentations: `program.mjs ai6 <folder>`. The instrumentation is
// installed in the folder.
import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

const [, , kind, home] = process.argv
const resolve = createRequire(`${home}/x.js`).resolve
const load = (name) => import(pathToFileURL(resolveEsm(name)).href)
/** Finds the entry point that `import` uses. */
function resolveEsm(name) {
	return import.meta.resolve
		? import.meta.resolve(name, pathToFileURL(`${home}/x.js`)).replace(/^file:\/\//, '')
		: resolve(name)
}

const { env } = process
const [gpt, claude, embedding] = ['gpt-5.6-sol', 'claude-opus-5', 'text-embedding-3-small']
const session = env.PROGRAM_SESSION
const user = env.PROGRAM_USER
const defaultHeaders = JSON.parse(env.PROGRAM_HEADERS ?? '{}')
const question = [{ role: 'user', content: 'What is the weather in Paris?' }]

async function plainTracing() {
	const { NodeTracerProvider, BatchSpanProcessor } = await load('@opentelemetry/sdk-trace-node')
	const { OTLPTraceExporter } = await load('@opentelemetry/exporter-trace-otlp-proto')
	const { resourceFromAttributes } = await load('@opentelemetry/resources')
	const provider = new NodeTracerProvider({
		resource: resourceFromAttributes({ 'service.name': 'program' }),
		spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
	})
	provider.register()
	return provider
}

async function post(sessionId, body) {
	const answer = await fetch(env.MCP_URL, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${env.MCP_KEY}`,
			'content-type': 'application/json',
			accept: 'application/json, text/event-stream',
			'mcp-protocol-version': '2025-06-18',
			...(sessionId && { 'mcp-session-id': sessionId }),
		},
		body: JSON.stringify({ jsonrpc: '2.0', ...body }),
	})
	await answer.text()
	return answer.headers.get('mcp-session-id')
}

async function runTool(given) {
	if (!env.MCP_URL) return
	const clientInfo = { name: 'program', version: '1.0.0' }
	const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
	const sessionId = await post(null, { id: 1, method: 'initialize', params })
	await post(sessionId, { method: 'notifications/initialized' })
	await post(sessionId, { id: 2, method: 'tools/call', params: { name: 'weather', arguments: given } })
}

/** Makes the nine calls with the official clients. */
async function callAll(openai, anthropic, tell) {
	const tools = [{ type: 'function', function: { name: 'weather', parameters: { type: 'object' } } }]
	const ask = (messages, more) => openai.chat.completions.create({ model: gpt, messages, ...more })
	const { choices } = await ask(question, { tools })
	const { message } = choices[0]
	const [call] = message.tool_calls
	await tell(call.id, call.function.arguments)
	const result = { role: 'tool', tool_call_id: call.id, content: 'It is sunny in Paris.' }
	await ask([...question, message, result], { tools })
	for await (const _ of await ask(question, { stream: true, stream_options: { include_usage: true } }));
	await Promise.all([ask(question), ask(question)])
	await openai.responses.create({ model: gpt, input: 'What is the weather in Paris?' })
	await openai.embeddings.create({ model: embedding, input: 'weather' })
	if (!anthropic) return
	const asked = { model: claude, max_tokens: 100, messages: question }
	await anthropic.messages.create(asked)
	for await (const _ of anthropic.messages.stream(asked));
}

async function withOpenInference() {
	const provider = await plainTracing()
	const { default: OpenAI } = await load('openai')
	const { default: Anthropic } = await load('@anthropic-ai/sdk')
	const { OpenAIInstrumentation } = await load('@arizeai/openinference-instrumentation-openai')
	const { AnthropicInstrumentation } = await load('@arizeai/openinference-instrumentation-anthropic')
	const { getAttributesFromContext, setSession, setUser } = await load('@arizeai/openinference-core')
	const { context, trace } = await load('@opentelemetry/api')
	new OpenAIInstrumentation({ tracerProvider: provider }).manuallyInstrument(OpenAI)
	new AnthropicInstrumentation({ tracerProvider: provider }).manuallyInstrument(Anthropic)
	const tracer = trace.getTracer('program')
	const run = (name, attributes, work) =>
		tracer.startActiveSpan(name, { attributes }, (span) => Promise.resolve(work()).finally(() => span.end()))
	const named = setUser(setSession(context.active(), { sessionId: session }), { userId: user })
	await context.with(named, () =>
		run('planner', { 'openinference.span.kind': 'AGENT', 'agent.name': 'planner' }, () =>
			callAll(new OpenAI({ defaultHeaders }), new Anthropic({ defaultHeaders }), (_id, given) => {
				const marks = {
					'openinference.span.kind': 'TOOL',
					'tool.name': 'weather',
					'input.value': given,
					...getAttributesFromContext(named),
				}
				return run('weather', marks, () => runTool(JSON.parse(given)))
			}),
		),
	)
	await provider.shutdown()
}

async function withLangfuse() {
	const { NodeSDK } = await load('@opentelemetry/sdk-node')
	const { LangfuseSpanProcessor } = await load('@langfuse/otel')
	const { startActiveObservation, propagateAttributes } = await load('@langfuse/tracing')
	const { observeOpenAI } = await load('@langfuse/openai')
	const { default: OpenAI } = await load('openai')
	const sdk = new NodeSDK({ spanProcessors: [new LangfuseSpanProcessor({ mediaUploadEnabled: false })] })
	sdk.start()
	const openai = observeOpenAI(new OpenAI({ defaultHeaders }))
	const work = () =>
		callAll(openai, null, (_id, given) =>
			startActiveObservation(
				'weather',
				async (tool) => {
					tool.update({ input: JSON.parse(given) })
					await runTool(JSON.parse(given))
				},
				{ asType: 'tool' },
			),
		)
	await propagateAttributes({ sessionId: session, userId: user }, () =>
		startActiveObservation('planner', work, { asType: 'agent' }),
	)
	await sdk.shutdown()
}

async function withTraceloop() {
	const traceloop = await load('@traceloop/node-server-sdk')
	const { default: OpenAI } = await load('openai')
	traceloop.initialize({
		...{ appName: 'program', disableBatch: true, silenceInitializationMessage: true },
		instrumentModules: { openAI: OpenAI },
	})
	await traceloop.withAssociationProperties({ session_id: session, user_id: user }, () =>
		traceloop.withAgent({ name: 'planner' }, () =>
			// Its instrumentation for Anthropic does not work with current clients.
			callAll(new OpenAI({ defaultHeaders }), null, (_id, given) =>
				traceloop.withTool({ name: 'weather' }, (args) => runTool(args), JSON.parse(given)),
			),
		),
	)
	await traceloop.forceFlush()
}

async function withOpenLit() {
	const { default: loaded } = await load('openlit')
	const Openlit = loaded.default ?? loaded
	const { default: OpenAI } = await load('openai')
	const { default: Anthropic } = await load('@anthropic-ai/sdk')
	await Openlit.init({
		...{ applicationName: 'program', disableBatch: true, disableMetrics: true },
		...{
			otlpEndpoint: env.OTEL_EXPORTER_OTLP_ENDPOINT,
			instrumentations: { openai: OpenAI, anthropic: Anthropic },
		},
	})
	await callAll(new OpenAI({ defaultHeaders }), new Anthropic({ defaultHeaders }), (_id, given) =>
		runTool(JSON.parse(given)),
	)
	const { trace } = await load('@opentelemetry/api')
	await trace.getTracerProvider().getDelegate?.().forceFlush?.()
	await new Promise((resolve) => setTimeout(resolve, 1000))
}

async function withAiSdk() {
	const provider = await plainTracing()
	const ai = await load('ai')
	const { createOpenAI } = await load('@ai-sdk/openai')
	const { createAnthropic } = await load('@ai-sdk/anthropic')
	const { z } = await load('zod')
	const openai = createOpenAI({ baseURL: env.OPENAI_BASE_URL, headers: defaultHeaders })
	const anthropic = createAnthropic({ baseURL: `${env.ANTHROPIC_BASE_URL}/v1`, headers: defaultHeaders })
	const experimental_telemetry = {
		isEnabled: true,
		functionId: 'planner',
		metadata: { sessionId: session, userId: user },
	}
	const asked = { messages: question, experimental_telemetry }
	const weather = ai.tool({
		description: 'The weather of a city',
		inputSchema: z.object({ city: z.string() }),
		execute: async (given) => {
			await runTool(given)
			return 'It is sunny in Paris.'
		},
	})
	const model = openai.chat(gpt)
	await ai.generateText({ ...asked, model, tools: { weather }, stopWhen: ai.stepCountIs(3) })
	await ai.streamText({ ...asked, model }).consumeStream()
	await Promise.all([ai.generateText({ ...asked, model }), ai.generateText({ ...asked, model })])
	await ai.generateText({ ...asked, model: openai.responses(gpt) })
	await ai.embed({ model: openai.textEmbeddingModel(embedding), value: 'weather', experimental_telemetry })
	await ai.generateText({ ...asked, model: anthropic(claude) })
	await ai.streamText({ ...asked, model: anthropic(claude) }).consumeStream()
	await provider.shutdown()
}

async function withAgents() {
	const provider = await plainTracing()
	const agents = await load('@openai/agents')
	const { default: OpenAI } = await load('openai')
	agents.setDefaultOpenAIClient(new OpenAI({ defaultHeaders }))
	const { OpenAIAgentsInstrumentation } = await load('@arizeai/openinference-instrumentation-openai-agents')
	const { z } = await load('zod')
	new OpenAIAgentsInstrumentation({ tracerProvider: provider }).manuallyInstrument(agents)
	const weather = agents.tool({
		name: 'weather',
		description: 'The weather of a city',
		parameters: z.object({ city: z.string() }),
		execute: async (given) => {
			await runTool(given)
			return 'It is sunny in Paris.'
		},
	})
	const planner = new agents.Agent({ name: 'planner', model: gpt, tools: [weather] })
	const plain = new agents.Agent({ name: 'planner', model: gpt })
	const asks = 'What is the weather in Paris?'
	await agents.withTrace('planning', async () => {
		await agents.run(planner, asks)
		const streamed = await agents.run(plain, asks, { stream: true })
		for await (const _ of streamed);
		await streamed.completed
		await Promise.all([agents.run(plain, asks), agents.run(plain, asks)])
	})
	await provider.forceFlush()
	await provider.shutdown()
}

const programs = {
	...{
		openinference: withOpenInference,
		langfuse5: withLangfuse,
		traceloop: withTraceloop,
		openlit: withOpenLit,
	},
	...{ ai5: withAiSdk, ai6: withAiSdk, agents: withAgents },
}
await programs[kind]()
process.exit(0)
