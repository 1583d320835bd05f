import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type Processes, primary, singleProcess } from '../processes/processes.ts'
import { type EventLoop, watchEventLoop } from './event-loop.ts'

/** A metric that an area adds to `/metrics`, read on each request. */
export interface Figure {
	name: string
	help: string
	/** The value, or one for each combination of labels. */
	read(): number | readonly LabelledFigure[]
	/** Label names. */
	labels?: readonly string[]
	/**
	 * Whether the value only grows, from zero at the start of the process. It is then also shown as a counter, `<name>_total`; the gauge
	 * stays for those who read its name.
	 */
	grows?: true
}

interface LabelledFigure {
	labels: Readonly<Record<string, string>>
	value: number
}

export interface Metrics {
	add(figures: readonly Figure[]): void
	/** Prometheus' text format with its content type. OpenMetrics does not allow a gauge and a counter that differ in `_total` alone. */
	render(): Promise<{ contentType: string; text: string }>
}

/** Resolution for metrics that are not shown. */
const idlePrecisionMs = 60_000

/** The program's metrics: those of Node, and those that the areas add. */
export function createMetrics(loop: EventLoop = watchEventLoop()): Metrics {
	const registry = new Registry()
	// Node's event loop metrics would wake an idle program a hundred times a second; `signalbox_event_loop_stall_seconds_max` covers
	// them.
	collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: idlePrecisionMs })
	for (const kind of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
		registry.removeSingleMetric(`nodejs_eventloop_lag_${kind}_seconds`)
	const add = (figures: readonly Figure[]) => {
		for (const figure of figures) addFigure(registry, figure)
	}
	add([
		{
			name: 'signalbox_event_loop_stall_seconds_max',
			help: 'Longest stall of the event loop since the last reading',
			read: () => loop.sinceLastReading(),
		},
	])
	return { add, render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }) }
}

function addFigure(registry: Registry, { name, help, read, labels = [], grows }: Figure): void {
	const samples = (): readonly LabelledFigure[] => {
		const figure = read()
		return typeof figure === 'number' ? [{ labels: {}, value: figure }] : figure
	}
	const described = { help, labelNames: [...labels], registers: [registry] }
	new Gauge({
		...{ ...described, name },
		collect() {
			this.reset()
			for (const { labels, value } of samples()) this.set(labels, value)
		},
	})
	if (!grows) return
	new Counter({
		...{ ...described, name: `${name}_total` },
		collect() {
			this.reset()
			for (const { labels, value } of samples()) this.inc(labels, value)
		},
	})
}

const askText = 'metrics.text'

/** The metrics of all processes of a program, each sample labelled with its process number. A single process has no such label. */
export function metricsOfProcesses(metrics: Metrics, processes: Processes): Metrics {
	if (processes === singleProcess) return metrics
	processes.answer(askText, async () => (await metrics.render()).text)
	return {
		add: metrics.add,
		render: async () => {
			const own = await metrics.render()
			const numbers = processes.others()
			// A process that is just ending has no metrics.
			const ask = (number: number) => processes.ask<string>(number, askText).catch(() => '')
			const texts = await Promise.all(numbers.map(ask))
			const all = [
				[primary, own.text] as const,
				...numbers.map((number, at) => [number, texts[at] ?? ''] as const),
			]
			return { contentType: own.contentType, text: mergeMetrics(all) }
		},
	}
}

/** Merges texts of Prometheus' format: the samples of a family must be contiguous, below one description. */
export function mergeMetrics(texts: readonly (readonly [process: number, text: string])[]): string {
	const families = new Map<string, { description: string[]; samples: string[] }>()
	for (const [process, text] of texts) {
		let family = { description: [] as string[], samples: [] as string[] }
		for (const line of text.split('\n').filter((each) => each !== '')) {
			const described = /^# (?:HELP|TYPE|UNIT) (\S+)/.exec(line)?.[1]
			if (!described) family.samples.push(withProcess(line, process))
			else {
				family = families.get(described) ?? { description: [], samples: [] }
				families.set(described, family)
				if (!family.description.includes(line)) family.description.push(line)
			}
		}
	}
	const lines = [...families.values()].flatMap(({ description, samples }) => [...description, ...samples])
	return `${lines.join('\n')}\n`
}

function withProcess(sample: string, process: number): string {
	const [, name, labels] = /^([A-Za-z_:][\w:]*)(?:\{(.*?)\})?(?= )/.exec(sample) ?? []
	if (name === undefined) return sample
	const rest = sample.slice(name.length + (labels === undefined ? 0 : labels.length + 2))
	return `${name}{process="${process}"${labels ? `,${labels}` : ''}}${rest}`
}
