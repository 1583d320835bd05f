import type { ReactNode } from 'react'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'

interface LoadedProps<T> {
	query: { data: T | undefined; error: unknown; refetch(): unknown }
	children(data: T): ReactNode
}

/** The result of a query, or that it is loading, or why it failed. */
export function Loaded<T>({ query: { data, error, refetch }, children }: LoadedProps<T>) {
	if (data !== undefined) return children(data)
	if (error) return <ErrorState error={error} retry={() => void refetch()} />
	return <SkeletonRows />
}
