import type { accessReviewOperations, OutputOf } from '@signalbox/contract'
import { toIso } from '../../../platform/clock.ts'
import type { AccessChange, Judgement } from './judge-pair.ts'
import type { RecordedCalls } from './simulation-repository.ts'

type Simulation = OutputOf<(typeof accessReviewOperations)['simulate']>
type Presented = Simulation['groups'][number]
type NameOf = (id: string) => string | null

const groupsMax = 1000
const samplesMax = 3

interface Group extends Pick<Judgement, 'before' | 'after'> {
	change: NonNullable<AccessChange>
	agentId: string
	serverId: string
	tool: string
	calls: number
	firstMs: number
	lastMs: number
	samples: string[]
}

/** Calls of one tool by one agent with the same verdicts, counted together. */
export class Groups {
	withoutServer = 0
	readonly #nameOfAgent: NameOf
	readonly #nameOfServer: NameOf
	readonly #groups = new Map<string, Group>()
	readonly #totals = { newly_denied: 0, newly_allowed: 0, unknown: 0, unchanged: 0 }

	constructor(nameOfAgent: NameOf, nameOfServer: NameOf) {
		this.#nameOfAgent = nameOfAgent
		this.#nameOfServer = nameOfServer
	}

	/** Null for calls that no change touches. */
	add(calls: RecordedCalls, judgement: Judgement | null): void {
		const change = judgement?.change ?? null
		this.#totals[change ?? 'unchanged'] += Number(calls.calls)
		if (!judgement || !change) return
		const { before, after } = judgement
		const key = JSON.stringify([calls.agent, calls.server, calls.tool, change, before, after])
		const group = toGroup(calls, { change, before, after })
		const known = this.#groups.get(key)
		this.#groups.set(key, known ? merge(known, group) : group)
	}

	/** The samples of the groups that are shown. */
	samples(): string[] {
		return this.#shown().flatMap(({ samples }) => samples)
	}

	/** `traces`: of each sample. */
	present(traces: ReadonlyMap<string, string>): Omit<Simulation, 'start' | 'end'> {
		const { newly_denied, newly_allowed, unknown, unchanged } = this.#totals
		const calls = newly_denied + newly_allowed + unknown + unchanged
		return {
			totals: { calls, ...this.#totals, without_server: this.withoutServer },
			groups: this.#shown().map((group) => this.#present(group, traces)),
			truncated: this.#groups.size > groupsMax,
		}
	}

	#shown(): Group[] {
		const sorted = [...this.#groups].sort(
			([keyA, a], [keyB, b]) => b.calls - a.calls || (keyA < keyB ? -1 : 1),
		)
		return sorted.slice(0, groupsMax).map(([, group]) => group)
	}

	#present(
		{ change, agentId, serverId, tool, calls, firstMs, lastMs, before, after, samples }: Group,
		traces: ReadonlyMap<string, string>,
	): Presented {
		return {
			change,
			agent: { uuid: agentId, name: this.#nameOfAgent(agentId) },
			server: { id: serverId, name: this.#nameOfServer(serverId) },
			tool,
			calls,
			first_at: toIso(firstMs),
			last_at: toIso(lastMs),
			reason_before: before,
			reason_after: after,
			sample_trace_ids: samples.flatMap((sample) => traces.get(sample) ?? []),
		}
	}
}

function toGroup(
	{ agent, server, tool, calls, first_ms, last_ms, samples }: RecordedCalls,
	judgement: Pick<Group, 'change' | 'before' | 'after'>,
): Group {
	const when = { firstMs: Number(first_ms), lastMs: Number(last_ms) }
	return { ...judgement, agentId: agent, serverId: server, tool, calls: Number(calls), ...when, samples }
}

function merge(a: Group, b: Group): Group {
	const samples = [...a.samples, ...b.samples].sort((x, y) => x.length - y.length || (x < y ? -1 : 1))
	return {
		...a,
		calls: a.calls + b.calls,
		firstMs: Math.min(a.firstMs, b.firstMs),
		lastMs: Math.max(a.lastMs, b.lastMs),
		samples: samples.slice(0, samplesMax),
	}
}
