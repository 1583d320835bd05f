import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** A figure of an area that `/metrics` shows; read when asked. */
export interface Figure {
	name: string
	help: string
	read(): number
}

export interface Metrics {
	add(figures: readonly Figure[]): void
	/** OpenMetrics text with its content type. */
	render(): Promise<{ contentType: string; text: string }>
}

/** Between two looks at the event loop; what it took longer than this is a stall. */
const resolutionMs = 10

/** The program's own figures: those of Node, and those that the areas add. */
export function createMetrics(): Metrics {
	const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>()
	registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE)
	collectDefaultMetrics({ register: registry as never })
	const delay = monitorEventLoopDelay({ resolution: resolutionMs })
	delay.enable()
	const add = (figures: readonly Figure[]) => {
		for (const figure of figures) addFigure(registry, figure)
	}
	add([
		{
			name: 'signalbox_event_loop_stall_seconds_max',
			help: 'Longest stall of the event loop since the last reading',
			read: () => readAndReset(delay),
		},
	])
	return { add, render: async () => ({ contentType: registry.contentType, text: await registry.metrics() }) }
}

function addFigure(
	registry: Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>,
	{ name, help, read }: Figure,
): void {
	new Gauge({
		name,
		help,
		registers: [registry as never],
		collect() {
			this.set(read())
		},
	})
}

function readAndReset(delay: ReturnType<typeof monitorEventLoopDelay>): number {
	const seconds = delay.max / 1e9 - resolutionMs / 1000
	delay.reset()
	return Math.max(0, seconds)
}
