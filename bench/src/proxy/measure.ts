import type { ChildProcess } from 'node:child_process'
import { closedLoop, type Measured, openLoop, warmUp } from '../load.ts'
import { measureOneFlush } from '../one-flush.ts'
import type { Stage } from '../stage.ts'
import { small } from './bodies.ts'
import { timeToFirstToken } from './first-token.ts'
import { type MixFigures, measureMix } from './mix.ts'
import { measureStreamMemory, type StreamMemory } from './stream-memory.ts'
import { allOf, openSubjects, type Subject, type Subjects } from './subjects.ts'

/** The median round of each subject, by name. */
export type BySubject = ReadonlyMap<string, Measured>

export interface ProxyFigures {
	missing: string[]
	ratePerSecond: number
	plain: BySubject
	oneFlushMs: number
	streamsPerSecond: number
	firstToken: BySubject
	ceiling: BySubject
	mix: MixFigures
	memory: StreamMemory
}

const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 3
const roundMs = quick ? 2000 : 4000
const ratePerSecond = 500
const streamsPerSecond = 50
/** The earlier calls had no streams: at 50 per second a round would measure code that is not compiled yet. */
const warmStreamsMs = 20_000
const callers = 32

/** The model proxy next to the far end, a bare pass-through, nginx and another gateway, in turns. */
export async function measureProxy(stage: Stage, key: string): Promise<ProxyFigures> {
	const children: ChildProcess[] = []
	try {
		const subjects = await openSubjects(stage, key, children)
		return await measureAll(subjects)
	} finally {
		for (const child of children) child.kill()
	}
}

async function measureAll(subjects: Subjects): Promise<ProxyFigures> {
	const { direct, bare, ours, nginx, portkey } = subjects
	const missing = [nginx ? '' : 'nginx', portkey ? '' : '@portkey-ai/gateway'].filter(Boolean)
	const all = allOf(subjects)
	const body = small()()
	const bodies = new Map(all.map((subject) => [subject, subject.to(body)]))
	const call = (subject: Subject) => bodies.get(subject) as ReturnType<Subject['to']>
	for (const subject of all) await warmUp(call(subject), callers, quick)
	const atRate = (subject: Subject) => openLoop(call(subject), ratePerSecond, roundMs)
	const first = (subject: Subject) => timeToFirstToken(subject, streamsPerSecond, roundMs)
	const plain = await inTurns(all, atRate)
	const oneFlushMs = await measureOneFlush(200)
	for (const subject of all) await timeToFirstToken(subject, 300, quick ? 3000 : warmStreamsMs)
	const firstToken = await inTurns(all, first)
	const others = all.filter((subject) => subject !== direct)
	const ceiling = await inTurns(others, (subject) => closedLoop(call(subject), callers, roundMs))
	return {
		...{ missing, ratePerSecond, plain, oneFlushMs, streamsPerSecond, firstToken, ceiling },
		mix: await measureMix(direct, bare, ours),
		memory: await measureStreamMemory(ours),
	}
}

/** Each once per round, in alternating order, so that fluctuations of the machine affect all of them. */
async function inTurns(
	subjects: readonly Subject[],
	measure: (subject: Subject) => Promise<Measured>,
): Promise<BySubject> {
	const measured = new Map<string, Measured[]>(subjects.map(({ name }) => [name, []]))
	for (let round = 0; round < rounds; round += 1)
		for (const subject of round % 2 === 0 ? subjects : subjects.toReversed())
			measured.get(subject.name)?.push(await measure(subject))
	return new Map([...measured].map(([name, all]) => [name, median(all)]))
}

function median(all: Measured[]): Measured {
	return all.sort((a, b) => a.p50Ms - b.p50Ms)[all.length >> 1] as Measured
}
