package bad

// The shutdown ladder is defined in one place, so that comments may use the word.
const ladder = "BAD: stopped by the ladder"
