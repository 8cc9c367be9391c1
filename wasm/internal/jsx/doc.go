// Package jsx holds the two things every binding to the browser needs: thrown
// exceptions as errors, and event listeners that are released.
package jsx
