import type { Subject } from '../encode-row.ts'
import type { SpanRow } from '../span-row.ts'
import { costOfSpan, noCost } from './cost.ts'
import { dialectOf } from './dialect.ts'
import { firstInteger, firstText, type HotValues, hotKeyNumbers, type Names } from './hot-keys.ts'
import { kindOf } from './kind.ts'
import * as names from './names.ts'
import { providerName } from './provider.ts'
import { noUsage, readUsage } from './usage.ts'

/** Grows with every change of what is made of the same attributes. */
export const mapperVersion = 2

/** The keys that columns are made from, with their place in HotValues. */
export const mappedKeys = hotKeyNumbers()

/** What a resource says for all of its spans. */
export interface ResourceFacts {
	serviceName: string
	sessionId: string
	userId: string
	/** Name of the SDK that sends. */
	sdk: string
}

export function readResource(values: HotValues): ResourceFacts {
	return {
		serviceName: firstText(values, names.service),
		sessionId: firstText(values, names.session),
		userId: firstText(values, names.user),
		sdk: firstText(values, names.sdk),
	}
}

/** The columns that are made from attributes. */
export type Mapped = Subject &
	Pick<SpanRow, 'kind' | 'errorType' | 'dialect' | 'mapperVersion' | 'costSource' | 'ledger'>

/** Maps the attributes of a span, in whatever dialect, to columns. The attributes themselves stay as they came. */
export function mapAttributes(values: HotValues, resource: ResourceFacts, startNs: bigint): Mapped {
	const dialect = dialectOf(values, resource.sdk)
	const method = methodOf(values, dialect)
	const requested = firstText(values, names.modelRequested)
	const served = firstText(values, names.model)
	const ownTool = firstText(values, names.toolName)
	const kind = kindOf(values, { method, tool: ownTool, hasModel: requested !== '' || served !== '' })
	const usage = kind === 'model_call' ? readUsage(values) : noUsage
	const provider = providerName(firstText(values, names.provider))
	const called = { provider, model: served || requested, usage, startNs }
	return {
		kind,
		errorType: firstText(values, names.errorType),
		agentId: '',
		agentName: '',
		serverId: '',
		serverName: '',
		toolName: kind === 'tool_call' ? ownTool || toolOf(values, dialect) : ownTool,
		mcpMethod: method,
		credentialId: '',
		sessionId: firstText(values, names.session) || resource.sessionId,
		userId: firstText(values, names.user) || resource.userId,
		client: clientOf(firstText(values, names.clientName), firstText(values, names.clientVersion)),
		connection: '',
		provider,
		modelRequested: requested,
		model: served,
		inputTokens: usage.inputTokens,
		cacheReadTokens: usage.cacheReadTokens,
		cacheWriteTokens: usage.cacheWriteTokens,
		outputTokens: usage.outputTokens,
		reasoningTokens: usage.reasoningTokens,
		usageSource: kind === 'model_call' ? (usage.reported ? 'reported' : 'missing') : '',
		timeToFirstTokenNs:
			readNs(values, names.secondsToFirstChunk, 1e9) ?? readNs(values, names.msToFirstChunk, 1e6),
		httpStatus: within(firstInteger(values, names.httpStatus), 0, 65_535),
		rpcCode: within(firstInteger(values, names.rpcCode), -(2 ** 31), 2 ** 31 - 1),
		requestBytes: 0,
		responseBytes: 0,
		dialect,
		mapperVersion,
		...(kind === 'model_call' ? costOfSpan(values, called) : noCost),
	}
}

function methodOf(values: HotValues, dialect: string): string {
	if (dialect === 'agentcat') return firstText(values, names.ownKinds.agentcat).replace(/^mcp:/, '')
	return firstText(values, names.mcpMethod)
}

function toolOf(values: HotValues, dialect: string): string {
	if (dialect === 'agentcat') return firstText(values, names.agentcatResource)
	return dialect === 'traceloop' ? firstText(values, names.entityName) : ''
}

function clientOf(name: string, version: string): string {
	return name !== '' && version !== '' ? `${name}/${version}` : name
}

function readNs(values: HotValues, keys: Names, perUnit: number): bigint | null {
	const text = firstText(values, keys)
	const ns = text === '' ? Number.NaN : Number(text) * perUnit
	return ns >= 0 && ns < 2 ** 63 ? BigInt(Math.round(ns)) : null
}

function within(value: number | null, least: number, most: number): number | null {
	return value !== null && value >= least && value <= most ? value : null
}
