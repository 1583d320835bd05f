import { type ComponentProps, useEffect, useRef, useState } from 'react'
import { SearchInput } from './field.tsx'

type DelayedSearchProps = Omit<ComponentProps<typeof SearchInput>, 'value' | 'onChange'> & {
	value: string
	onChange(text: string): void
}

const pauseMs = 300

/** A debounced search field. The search is cancelled if a link was clicked meanwhile and its page is loading. */
export function DelayedSearch({ value, onChange, ...rest }: DelayedSearchProps) {
	const [typed, setTyped] = useState(value)
	const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
	useEffect(() => setTyped(value), [value])
	useEffect(() => () => clearTimeout(timer.current), [])
	const askLater = (text: string) => {
		const { pathname } = window.location
		clearTimeout(timer.current)
		timer.current = setTimeout(() => {
			if (window.location.pathname === pathname) onChange(text)
		}, pauseMs)
	}
	return (
		<SearchInput
			{...rest}
			value={typed}
			onChange={({ target }) => {
				setTyped(target.value)
				askLater(target.value)
			}}
		/>
	)
}
