import { Channel, type Pipe } from './channel.ts'
import { type Answer, type Processes, primary } from './processes.ts'

/** A worker's way to the primary, over the pipe by which that one started it. */
export function openWorkerProcesses(number: number, pipe: Pipe): Processes {
	const answers = new Map<string, Answer>()
	const channel = new Channel(pipe, {
		ask: (name, input) => answers.get(name)?.(input, primary),
		tell: ({ name, input }) => answers.get(name)?.(input, primary),
	})
	return {
		number,
		others: () => [primary],
		answer: (name, answer) => void answers.set(name, answer),
		ask: <Output>(_to: number, name: string, input?: unknown) => channel.ask(name, input) as Promise<Output>,
		tell: (to, name, input) => channel.tell({ name, input, forAll: to === 'all' }),
		// A worker ends with its primary.
		onEnded: () => undefined,
	}
}
