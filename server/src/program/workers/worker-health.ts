import type { Figure } from '../../platform/health/index.ts'
import type { Workers } from './supervise-workers.ts'

type Known = Pick<Workers, 'down' | 'restarts'>

/** Null when all serve. A sentence for people otherwise; the ports are answered by the others. */
export function describeWorkers(workers: Known): string | null {
	const down = workers.down()
	if (down.length === 0) return null
	return down.length === 1
		? `worker ${down[0]} does not serve; it is being started`
		: `workers ${down.join(', ')} do not serve; they are being started`
}

export function workerFigures(workers: Known): Figure[] {
	return [
		{
			name: 'signalbox_workers_down',
			help: 'Workers that do not serve and are being started',
			read: () => workers.down().length,
		},
		{
			name: 'signalbox_worker_restarts',
			help: 'Workers that ended unexpectedly and were restarted, since the start',
			read: () => workers.restarts(),
		},
	]
}
