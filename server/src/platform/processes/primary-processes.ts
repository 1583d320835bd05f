import { Channel, type Pipe } from './channel.ts'
import { type Answer, type Processes, primary, processGone } from './processes.ts'

export interface PrimaryProcesses extends Processes {
	/** Takes in a worker that was started, until its pipe closes. */
	attach(number: number, pipe: Pipe): void
}

/** The primary's way to its workers. What a worker tells all goes on to the other workers. */
export function openPrimaryProcesses(): PrimaryProcesses {
	const channels = new Map<number, Channel>()
	const answers = new Map<string, Answer>()
	const listeners: ((number: number) => void)[] = []
	const tellAll = (name: string, input: unknown, except?: number) => {
		for (const [number, channel] of channels)
			if (number !== except) channel.tell({ name, input, forAll: true })
	}
	const detach = (number: number) => {
		channels.delete(number)
		for (const listener of listeners) listener(number)
	}
	return {
		number: primary,
		others: () => [...channels.keys()],
		answer: (name, answer) => void answers.set(name, answer),
		ask: async <Output>(to: number, name: string, input?: unknown) => {
			const channel = channels.get(to)
			if (!channel) throw processGone()
			return (await channel.ask(name, input)) as Output
		},
		tell: (to, name, input) => {
			if (to === 'all') tellAll(name, input)
			else channels.get(to)?.tell({ name, input, forAll: false })
		},
		onEnded: (listener) => void listeners.push(listener),
		attach: (number, pipe) => {
			const channel = new Channel(pipe, {
				ask: (name, input) => answers.get(name)?.(input, number),
				tell: ({ name, input, forAll }) => {
					if (forAll) tellAll(name, input, number)
					return answers.get(name)?.(input, number)
				},
			})
			channels.set(number, channel)
			pipe.once('disconnect', () => detach(number))
		},
	}
}
