/// <reference types="vite/client" />
interface Window {
  GRV_CONFIG?: unknown
}
