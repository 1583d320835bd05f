import { createFileRoute } from '@tanstack/react-router'
import { SetupScreen } from '../areas/identity/setup-screen.tsx'

export const Route = createFileRoute('/setup')({ component: SetupScreen })
