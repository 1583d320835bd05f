import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type EventLoop, watchEventLoop } from './event-loop.ts'

/** A figure of an area that `/metrics` shows; read when asked. */
export interface Figure {
	name: string
	help: string
	/** The figure, or one for each value of its labels. */
	read(): number | readonly LabelledFigure[]
	/** The names of its labels. */
	labels?: readonly string[]
}

interface LabelledFigure {
	labels: Readonly<Record<string, string>>
	value: number
}

export interface Metrics {
	add(figures: readonly Figure[]): void
	/** OpenMetrics text with its content type. */
	render(): Promise<{ contentType: string; text: string }>
}

/** The program's own figures: those of Node, and those that the areas add. */
export function createMetrics(loop: EventLoop = watchEventLoop()): Metrics {
	const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>()
	registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
	collectDefaultMetrics({ register: registry as never })
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

function addFigure(
	registry: Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>,
	{ name, help, read, labels = [] }: Figure,
): void {
	new Gauge({
		name,
		help,
		labelNames: [...labels],
		registers: [registry as never],
		collect() {
			const figure = read()
			if (typeof figure === 'number') return this.set(figure)
			this.reset()
			for (const { labels, value } of figure) this.set(labels, value)
		},
	})
}
