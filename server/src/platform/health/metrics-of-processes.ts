import { alone, type Processes, primary } from '../processes/index.ts'
import type { Metrics } from './metrics.ts'

const askText = 'metrics.text'

/** The figures of all processes of a program, each sample with the number of its process; a single one has no such label. */
export function metricsOfProcesses(metrics: Metrics, processes: Processes): Metrics {
	if (processes === alone) return metrics
	processes.answer(askText, async () => (await metrics.render()).text)
	return {
		add: metrics.add,
		render: async () => {
			const own = await metrics.render()
			const numbers = processes.others()
			// One that ends just now has no figures.
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

/** Joins OpenMetrics texts: the samples of a family must stand together, below one description. */
export function mergeMetrics(texts: readonly (readonly [process: number, text: string])[]): string {
	const families = new Map<string, { description: string[]; samples: string[] }>()
	for (const [process, text] of texts) {
		let family = { description: [] as string[], samples: [] as string[] }
		for (const line of text.split('\n').filter((each) => each !== '' && each !== '# EOF')) {
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
	return `${[...lines, '# EOF'].join('\n')}\n`
}

function withProcess(sample: string, process: number): string {
	const [, name, labels] = /^([A-Za-z_:][\w:]*)(?:\{(.*?)\})?(?= )/.exec(sample) ?? []
	if (name === undefined) return sample
	const rest = sample.slice(name.length + (labels === undefined ? 0 : labels.length + 2))
	return `${name}{process="${process}"${labels ? `,${labels}` : ''}}${rest}`
}
