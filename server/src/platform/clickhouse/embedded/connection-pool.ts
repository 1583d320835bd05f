export interface PoolOptions<Connection> {
	size: number
	open(): Promise<Connection>
	close(connection: Connection): void
}

export interface Pool<Connection> {
	/** Runs one call with a connection of its own; waits its turn when all are taken. */
	use<Result>(call: (connection: Connection) => Promise<Result>): Promise<Result>
	/** Closes the idle connections; a running call's connection is closed when the call ends. */
	close(): void
}

/**
 * A fixed number of connections, opened when first needed. A connection on which a call failed is thrown away:
 * the rest of a failed query's output would otherwise stand at the head of the next query's result (measured).
 */
export function createPool<Connection>(options: PoolOptions<Connection>): Pool<Connection> {
	const idle: Connection[] = []
	const waiting: (() => void)[] = []
	let taken = 0
	let closed = false

	async function take(): Promise<void> {
		if (taken < options.size) taken++
		else await new Promise<void>((resolve) => waiting.push(resolve))
	}

	function release(): void {
		const next = waiting.shift()
		if (next) next()
		else taken--
	}

	function putBack(connection: Connection): void {
		if (closed) options.close(connection)
		else idle.push(connection)
	}

	return {
		async use(call) {
			await take()
			try {
				const connection = idle.pop() ?? (await options.open())
				const result = await closingOnFailure(connection, () => call(connection), options.close)
				putBack(connection)
				return result
			} finally {
				release()
			}
		},
		close() {
			closed = true
			for (const connection of idle.splice(0)) options.close(connection)
		},
	}
}

async function closingOnFailure<Connection, Result>(
	connection: Connection,
	call: () => Promise<Result>,
	close: (connection: Connection) => void,
): Promise<Result> {
	try {
		return await call()
	} catch (error) {
		close(connection)
		throw error
	}
}
