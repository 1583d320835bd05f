// Runs in the module hooks thread if Node's hooks are asynchronous (before 22.15).
import { type Loaded, marked } from './register-source.ts'

type NextLoad = (url: string, context: unknown) => Promise<Loaded>

export async function load(url: string, context: unknown, nextLoad: NextLoad): Promise<Loaded> {
	return marked(url, await nextLoad(url, context))
}
