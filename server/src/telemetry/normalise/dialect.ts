import { first, firstText, type HotValues } from './hot-keys.ts'
import { mcpMethod, operation, ownKinds, provider, system, tokens } from './names.ts'

/** By its resource an SDK is known that else speaks the common conventions. */
const sdks: ReadonlySet<string> = new Set(['openlit', 'opentelemetry-openlit'])

const marks = [
	['langfuse', ownKinds.langfuse],
	['langfuse', tokens.exclusiveJson],
	['openinference', ownKinds.openinference],
	['traceloop', ownKinds.traceloop],
	['traceloop', ownKinds.traceloopRequest],
	['laminar', ownKinds.laminar],
	['genkit', ownKinds.genkit],
	['mlflow', ownKinds.mlflow],
	['langsmith', ownKinds.langsmith],
	['posthog', ownKinds.posthog],
	['agentcat', ownKinds.agentcat],
	['braintrust', ownKinds.braintrust],
] as const

/** Known by something that they add to the common conventions. */
const additions = [
	['logfire', ownKinds.logfire],
	['sentry', ownKinds.sentry],
] as const

/**
 * Whose conventions the attributes follow. `gen_ai` is the present generation of OpenTelemetry's own, `gen_ai_1_36` the one
 * before it (`gen_ai.system`); '' where nothing is recognised.
 */
export function dialectOf(values: HotValues, sdk: string): string {
	for (const [dialect, names] of marks) if (first(values, names) !== undefined) return dialect
	if (firstText(values, ownKinds.vercel).startsWith('ai.')) return 'vercel'
	if (sdks.has(sdk)) return 'openlit'
	for (const [dialect, names] of additions) if (first(values, names) !== undefined) return dialect
	if (first(values, mcpMethod) !== undefined) return 'mcp'
	if (first(values, system) !== undefined) return 'gen_ai_1_36'
	if (first(values, operation) !== undefined || first(values, provider) !== undefined) return 'gen_ai'
	return ''
}
