import { Button } from './button.tsx'

interface OlderButtonProps {
	/** In words: `records`, `checks`. */
	what: string
	query: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): unknown }
}

/** Loads the next part of a list that is read by a cursor; hidden when everything is loaded. */
export function OlderButton({ what, query }: OlderButtonProps) {
	if (!query.hasNextPage) return null
	return (
		<div className="flex justify-center border-t border-line p-3">
			<Button busy={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
				Show older {what}
			</Button>
		</div>
	)
}
