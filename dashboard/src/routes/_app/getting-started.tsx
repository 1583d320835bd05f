import { createFileRoute } from '@tanstack/react-router'
import { GettingStartedScreen } from '../../areas/getting-started/getting-started-screen.tsx'

export const Route = createFileRoute('/_app/getting-started')({ component: GettingStartedScreen })
