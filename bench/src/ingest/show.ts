import { sumOf } from '../cpu.ts'
import { linesOfWork } from '../engine-work.ts'
import type { Costs } from './costs.ts'
import type { IdleFigures } from './idle.ts'
import type { IngestFigures } from './measure.ts'

const names = { protobuf: 'OTLP/protobuf', json: 'OTLP/JSON', grpc: 'OTLP over gRPC' } as const

export function showIngest(figures: IngestFigures): void {
	const { idle, idleAfter, seconds, spans, megabytes, cpuUsPerSpan, residentMb, sessionBytes, bodiesBytes } =
		figures
	const [early, late] = residentMb
	const lines: [string, string, string][] = [
		[
			'acknowledged',
			`${figures.acknowledgedPerSecond.toFixed(0)} spans/s, ${(megabytes / seconds).toFixed(1)} MB/s; ${figures.refused} bodies refused while the log was full`,
			'≥ 30 MB/s',
		],
		['stored', `${figures.storedPerSecond.toFixed(0)} spans/s`, '≥ 100000'],
		[
			'answer',
			`p50 ${figures.ackP50Ms.toFixed(1)} ms, p99 ${figures.ackP99Ms.toFixed(1)} ms`,
			'p99 ≤ 100 ms',
		],
		['answer → in queries', `p99 ${figures.visibleP99Ms.toFixed(0)} ms`, '≤ 2000 ms'],
		[
			'processor time',
			`${cpuUsPerSpan.program.toFixed(1)} µs a span, and the engine ${cpuUsPerSpan.engine.toFixed(1)}; making objects of the same bodies with protobufjs ${figures.bareDecodeUs.toFixed(1)}`,
			'≤ 6 and ≤ 4',
		],
		['idle before', shareOfCore(idle), '≤ 0.5 % together'],
		['idle after a restart', shareOfCore(idleAfter), '≤ 0.5 % together'],
		[
			'memory of the program',
			`${early.toFixed(0)} MB after a third, ${late.toFixed(0)} MB at the end`,
			'flat',
		],
		['a small span on disk', `${figures.bytesPerSmallSpan?.toFixed(0) ?? '–'} B`, '≤ 60 B'],
		[
			'a session of 50 turns',
			`${(sessionBytes / bodiesBytes).toFixed(1)} times smaller than its ${(sessionBytes / 1e6).toFixed(1)} MB`,
			'≥ 10 times',
		],
	]
	console.log(
		`\n${names[figures.format]}, small spans and model calls with messages, flushed before the answer (${spans} spans in ${seconds.toFixed(0)} s)`,
	)
	for (const [name, figure, goal] of lines)
		console.log(`  ${name.padEnd(22)} ${figure}${goal && ` (goal ${goal})`}`)
	showCosts('the program', figures.threads.program)
	showCosts('the engine', figures.threads.engine, workOfEngine)
	console.log('  µs a span in the engine, by kind of work; how often, ms each')
	for (const line of linesOfWork(figures.engineWork, spans)) console.log(line)
}

/** What the engine's threads do; it names them after their work. */
const workOfEngine: Readonly<Record<string, string>> = {
	ThreadPool: 'inserts, and what queries do in parallel',
	MergeMutate: 'merges',
	'libuv-worker': 'queries: of questions, joins and roll-ups, and of the watch of this bench',
	QueryPipelineEx: 'queries',
	QueryPullPipeEx: 'queries',
	MainThread: 'taking in the bytes of inserts, handing out answers',
	BgSchPool: 'its own upkeep',
}

/** How the processor time of a span is distributed over threads. */
function shareOfCore({ program, engine }: IdleFigures): string {
	return `${sumOf(program).toFixed(2)} % of a core, and the engine ${sumOf(engine).toFixed(2)} %`
}

function showCosts(process: string, costs: Costs, workOf: Readonly<Record<string, string>> = {}): void {
	console.log(`  µs a span in ${process}, by thread`)
	for (const [name, us] of [...costs].sort(([, a], [, b]) => b - a).filter(([, us]) => us >= 0.05))
		console.log(`    ${name.padEnd(20)} ${us.toFixed(2)}  ${workOf[name] ?? ''}`)
}
